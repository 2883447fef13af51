-- The systems compared with the average and the best annotator.
select *
from latest_systems_against_raters
where ($question is null or question = $question) and ($system is null or system = $system);

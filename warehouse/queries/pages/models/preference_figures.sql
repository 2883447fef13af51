-- How those who voted on pairs of models agree, and what the order of the two models did.
select *
from latest_preference_figures
where $question is null or question = $question
order by question, rater nulls first, figure;

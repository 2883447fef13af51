-- The accuracy of the raters of a question, the most accurate first.
select *
from rater_leaderboard
where ($question is null or question = $question) and ($rater is null or rater = $rater);

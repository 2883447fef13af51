-- Each annotator beside the others who rated the same items, those first who agree least.
select *
from rater_scorecard
where ($question is null or question = $question) and ($rater is null or rater = $rater)
order by agreement nulls last, question, rater
limit $n_rows;

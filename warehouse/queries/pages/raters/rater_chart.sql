-- The control chart of the agreement of a rater with the others, day by day.
select *
from charts
where question = $question and chart = 'rater' and subject = $rater
order by day desc
limit $n_rows;

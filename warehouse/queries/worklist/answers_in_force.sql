-- The ratings in force of some items of a question.
select item, rater, label
from current_ratings
where question = $question and item in (select unnest($items::varchar[]))
order by item, rater;

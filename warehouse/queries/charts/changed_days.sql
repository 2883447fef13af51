-- The days of a question whose counts changed after $revision.
select day
from internal.changed_days
where
    question_id = (select question_id from internal.questions where question = $question) and revision > $revision
order by day;

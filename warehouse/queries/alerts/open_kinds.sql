-- The kinds of the open alerts of a question.
select distinct kind
from alerts
where question = $question and closed_at is null
order by kind;

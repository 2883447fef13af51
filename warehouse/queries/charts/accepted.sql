-- The changes of a question that were accepted as the new normal: of each chart the latest.
select kind, subject, max(changed_on) as changed_on
from accepted_changes
where question = $question
group by kind, subject
order by kind, subject;

-- The changes of questions ($questions) that were accepted as the new normal: of each chart the latest.
select question, kind, subject, max(changed_on) as changed_on
from accepted_changes
where list_contains($questions, question)
group by question, kind, subject
order by question, kind, subject;

-- A question with more than one open alert of a kind and subject.
-- To do: Restore the last sound backup, or ingest the exports again into a new warehouse.
select question, kind, subject, count(*) as n_open
from alerts
where closed_at is null
group by question, kind, subject
having count(*) > 1;

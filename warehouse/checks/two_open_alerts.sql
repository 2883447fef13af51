-- A question with more than one open alert of a kind.
select question, kind, count(*) as n_open
from alerts
where closed_at is null
group by question, kind
having count(*) > 1;

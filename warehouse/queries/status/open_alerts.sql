-- One row per open alert, the latest first.
select question, kind, severity, opened_at, evidence
from alerts
where closed_at is null
order by opened_at desc, question, kind;

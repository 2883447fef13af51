-- One row per open alert, the latest first.
select alert_id, question, kind, severity, opened_at, evidence, detail
from alerts
where closed_at is null
order by opened_at desc, question, kind;

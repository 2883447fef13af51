-- One row per open alert, for the end of a run: critical before warnings, the latest first.
select question, kind, state, acknowledged_by, muted_until, evidence, detail
from alert_states
where closed_at is null
order by severity <> 'critical', opened_at desc, question, kind, subject, alert_id;

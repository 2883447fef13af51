-- One row per open alert, the latest first, with its state: open, acknowledged or muted.
select question, kind, subject, severity, state, opened_at, evidence, alert_id, owner, acknowledged_by, muted_until
from alert_states
where closed_at is null
order by opened_at desc, question, kind, subject;

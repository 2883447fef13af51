-- One row per open alert, for the end of a run.
select question, kind, state, acknowledged_by, muted_until, evidence, detail
from alert_states
where closed_at is null;

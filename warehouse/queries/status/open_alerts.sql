-- One row per open alert, critical before warnings, the latest first, with its state: open, acknowledged or muted.
from alert_states
where closed_at is null
order by severity <> 'critical', opened_at desc, question, kind, subject, alert_id;

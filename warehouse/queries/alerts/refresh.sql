-- Update the open alerts of rules whose condition still holds.
update alerts
set severity = new.severity, evidence = new.evidence, detail = new.detail, owner = new.owner, after = new.after,
    n_items = new.n_items
from incoming_alerts as new
where
    alerts.question = $question and alerts.closed_at is null and alerts.kind = new.kind
    and alerts.subject is not distinct from new.subject
returning alert_id;

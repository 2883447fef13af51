-- Update the open alerts whose condition still holds.
update alerts
set severity = new.severity, evidence = new.evidence, detail = new.detail
from incoming_alerts as new
where alerts.question = $question and alerts.closed_at is null and alerts.kind = new.kind
returning alert_id;

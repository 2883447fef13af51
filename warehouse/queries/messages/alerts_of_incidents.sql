-- All alerts of these incidents, the oldest first.
select
    alert_id, incident_id, question, kind, subject, severity, owner, opened_at, changed_on, changed_low, changed_high,
    before, after, n_items, acknowledged_at, closed_at, closed_because, evidence, detail,
    label, detected_on
from alerts
where list_contains($incident_ids, incident_id)
order by opened_at, kind, subject, alert_id;

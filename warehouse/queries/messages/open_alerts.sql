-- The open alerts that nobody has taken note of, and that are not muted, as reminders: when each was opened, then its
-- change.
select opened_at, alert_id, incident_id, question, kind, subject, severity, owner, 'reminder' as event
from alerts
where closed_at is null and acknowledged_at is null and (muted_until is null or muted_until <= $now)
order by question, opened_at, kind, subject, alert_id;

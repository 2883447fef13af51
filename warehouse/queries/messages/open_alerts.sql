-- The open alerts that nobody has taken note of, as reminders: when each was opened, then its change.
select opened_at, alert_id, incident_id, question, kind, subject, severity, owner, 'reminder' as event
from alerts
where closed_at is null and acknowledged_at is null
order by question, opened_at, kind, subject, alert_id;

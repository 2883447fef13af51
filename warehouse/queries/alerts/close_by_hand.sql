-- Close these alerts on behalf of a person.
update alerts
set closed_at = $now, closed_by = $by, closed_because = $because
where list_contains($alert_ids, alert_id) and closed_at is null
returning alert_id, incident_id, question, kind, subject, severity, owner;

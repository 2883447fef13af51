-- Close the open alerts of a question's rules whose condition no longer holds.
update alerts
set closed_at = $now, closed_because = 'recovered'
where
    question = $question and closed_at is null and not list_contains($chart_kinds, kind)
    and not exists (
        from incoming_alerts as new
        where new.kind = alerts.kind and new.subject is not distinct from alerts.subject
    )
returning alert_id, coalesce(incident_id, alert_id) as incident_id, question, kind, subject, severity, owner;

-- Note that the condition of a rule's alert that a person closed no longer holds.
update alerts
set recovered_at = $now
where
    question = $question and closed_at is not null and recovered_at is null and not list_contains($chart_kinds, kind)
    and (closed_by is not null or coalesce(closed_because, 'closed') <> 'recovered')
    and not exists (
        from incoming_alerts as new
        where new.kind = alerts.kind and new.subject is not distinct from alerts.subject
    );

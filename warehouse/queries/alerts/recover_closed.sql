-- Note that the condition of a rule's alert that a person closed no longer holds. Without a figure (`incoming_figures`, of
-- the kinds in $of_figures) nothing is known of it.
update alerts
set recovered_at = $now
where
    question = $question and closed_at is not null and recovered_at is null and not list_contains($chart_kinds, kind)
    and (closed_by is not null or coalesce(closed_because, 'closed') not in ('recovered', 'no figure', 'no limit'))
    and not exists (
        from incoming_alerts as new
        where new.kind = alerts.kind and new.subject is not distinct from alerts.subject
    )
    and (
        not list_contains($of_figures::varchar [], kind)
        or exists (
            from incoming_figures as f
            where f.kind = alerts.kind and f.subject is not distinct from alerts.subject
        )
    );

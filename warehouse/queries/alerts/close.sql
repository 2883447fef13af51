-- Close the open alerts of a question's rules whose condition no longer holds, and say why: the rule has no limit any more
-- ($limits are the kinds that have one; null if that is not known), there is no figure to hold to it (`incoming_figures`
-- are those of the kinds in $of_figures), or the limit is met.
update alerts
set closed_at = $now,
    closed_because = case
        when not list_contains($limits::varchar [], kind) then 'no limit'
        when list_contains($of_figures::varchar [], kind) and not exists (
            from incoming_figures as f
            where f.kind = alerts.kind and f.subject is not distinct from alerts.subject
        ) then 'no figure'
        else 'recovered'
    end
where
    question = $question and closed_at is null and not list_contains($chart_kinds, kind)
    and not exists (
        from incoming_alerts as new
        where new.kind = alerts.kind and new.subject is not distinct from alerts.subject
    )
returning alert_id, coalesce(incident_id, alert_id) as incident_id, question, kind, subject, severity, owner;

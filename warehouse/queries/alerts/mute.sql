-- Send no messages about these alerts until then.
update alerts
set muted_until = $until, muted_by = $by
where list_contains($alert_ids, alert_id) and closed_at is null;

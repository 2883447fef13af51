-- Record who took note of these alerts. Whoever did so first stays.
update alerts
set acknowledged_at = $now, acknowledged_by = $by
where list_contains($alert_ids, alert_id) and closed_at is null and acknowledged_at is null;

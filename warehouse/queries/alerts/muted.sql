-- Which of these alerts are muted now.
select alert_id
from alerts
where list_contains($alert_ids, alert_id) and muted_until > $now;

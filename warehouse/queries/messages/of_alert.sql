-- The messages that tell of an alert, the oldest first.
select channel, event, written_at, sent_at, n_attempts, error
from messages
where list_contains(alert_ids, $alert_id)
order by written_at, channel, event;

-- The unsent messages of the channels that are due: those with a message that may be tried now.
select message_id, incident_id, question, event, alert_ids, channel, n_attempts, digest_id
from messages
where
    sent_at is null and list_contains($channels, channel)
    and channel in (select channel from messages where sent_at is null and next_attempt_at <= $now)
order by channel, written_at, question, incident_id, event desc, message_id;

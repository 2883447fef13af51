-- When the last message on each incident was sent to each channel, and whether one waits.
select incident_id, channel, max(sent_at), bool_or(sent_at is null)
from messages
where list_contains($channels, channel)
group by incident_id, channel;

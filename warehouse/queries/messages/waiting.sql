-- The number of unsent messages of each channel.
select channel, count(*)
from messages
where sent_at is null and list_contains($channels, channel)
group by channel;

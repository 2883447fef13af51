-- The channels that did not take what was last sent to them, and how many messages wait for each.
select channel, count(*) as n_messages, max(n_attempts) as n_attempts, arg_max(error, n_attempts) as error
from messages
where sent_at is null and n_attempts > 0 and list_contains($channels, channel)
group by channel
order by channel;

-- The unsent messages of the channels. A channel is due if one of its messages may be tried now. A message whose alerts
-- are all muted is left out, unless it belongs to a digest that may have arrived. The longest pause of a channel is a day: a
-- time after that comes from a clock that was ahead, and does not count.
with waiting as (
    select *
    from messages
    where
        sent_at is null and list_contains($channels, channel)
        and (
            digest_id is not null
            or not list_has_all(
                coalesce((select list(alert_id) from alerts where closed_at is null and muted_until > $now), []), alert_ids
            )
        )
)

select
    message_id, incident_id, question, event, alert_ids, channel, n_attempts, digest_id,
    channel in (
        select channel from waiting
        where next_attempt_at <= $now or next_attempt_at > $now::timestamptz + interval 1 day
    ) as is_due
from waiting
order by channel, written_at, question, incident_id, event desc, message_id;

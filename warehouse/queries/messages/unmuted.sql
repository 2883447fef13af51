-- The open alerts whose mute has ended and that nobody acknowledged: the change, and the channels that were told of it.
select
    a.alert_id, a.incident_id, a.question, a.kind, a.subject, a.severity, a.owner, 'opened' as event,
    (select list(distinct m.channel) from messages as m where list_contains(m.alert_ids, a.alert_id)) as told
from alerts as a
where a.closed_at is null and a.acknowledged_at is null and a.muted_until <= $now
order by a.question, a.opened_at, a.kind, a.subject, a.alert_id;

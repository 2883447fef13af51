-- Mute the open alerts that `incoming_mutes` (question, kind, subject, until) accepts; null accepts all. What a person
-- muted stays. What the settings muted before and no longer mute is told again.
create or replace temp table muted as
select a.alert_id, max(m.until) as until
from alerts as a
inner join incoming_mutes as m
    on
        (m.question is null or a.question = m.question or a.question glob m.question)
        and (m.kind is null or a.kind = m.kind or a.kind glob m.kind)
        and (m.subject is null or a.subject = m.subject or a.subject glob m.subject)
where a.closed_at is null
group by a.alert_id;

update alerts
set muted_until = m.until, muted_by = $by
from muted as m
where
    alerts.alert_id = m.alert_id and (alerts.muted_by is null or alerts.muted_by = $by)
    and alerts.muted_until is distinct from m.until;

update alerts
set muted_until = least(muted_until, $now)
where
    closed_at is null and muted_by = $by and muted_until > $now and alert_id not in (select alert_id from muted);

drop table muted;

-- Alerts with their states, filtered. Open ones come before closed ones, critical ones before warnings, later ones before
-- earlier ones. A filter that is null accepts all.
select *
from alert_states
where
    (not $only_open or closed_at is null)
    and ($question is null or question = $question)
    and ($kind is null or kind = $kind)
    and ($severity is null or severity = $severity)
    and ($incident_id is null or incident_id = $incident_id)
order by closed_at is not null, severity <> 'critical', opened_at desc, question, kind, subject, alert_id;

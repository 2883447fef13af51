-- All alerts of a question's charts, open or closed.
select
    alert_id, incident_id, kind, subject, severity, owner, changed_on, changed_low, changed_high, detected_on,
    case when closed_at is not null then coalesce(closed_because, 'closed') end as closed_because
from alerts
where question = $question and list_contains($kinds, kind)
order by opened_at, alert_id;

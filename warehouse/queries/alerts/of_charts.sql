-- All alerts of a question's charts, open or closed. What a person closed is closed, whatever was given as the reason.
select
    alert_id, incident_id, kind, subject, severity, owner, changed_on, changed_low, changed_high, detected_on,
    case
        when closed_at is null then null
        when closed_by is null and closed_because in ('recovered', 'revised', 'replaced') then closed_because
        else 'closed'
    end as closed_because
from alerts
where question = $question and list_contains($kinds, kind)
order by opened_at, alert_id;

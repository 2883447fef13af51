-- The alerts whose id, or whose incident's id, begins with $id_start.
select *
from alert_states
where starts_with(alert_id, $id_start) or starts_with(incident_id, $id_start)
order by opened_at, kind, subject, alert_id;

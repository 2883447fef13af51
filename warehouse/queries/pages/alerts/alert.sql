-- One alert.
select *
from alert_states
where alert_id = $alert_id;

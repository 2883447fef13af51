-- Close the alerts of `incoming_closed` and insert those of `incoming_alerts`. An alarm that is over already becomes a
-- closed alert.
update alerts
set closed_at = $now, closed_because = c.closed_because
from incoming_closed as c
where alerts.alert_id = c.alert_id;

insert into alerts by name
select
    *, $question as question, $now as opened_at, case when closed_because is not null then $now end as closed_at
from incoming_alerts;

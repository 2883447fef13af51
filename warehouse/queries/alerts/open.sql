-- Insert the alerts that were not open before.
insert into alerts by name
select
    uuid()::varchar as alert_id, $question as question, new.kind, new.severity, $now as opened_at, new.evidence,
    new.detail
from incoming_alerts as new
where new.kind not in (select kind from alerts where question = $question and closed_at is null)
returning alert_id;

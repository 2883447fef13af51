-- Make the changes of these alerts the new normal of their charts. Call it before they are closed.
insert into accepted_changes by name
select question, kind, subject, changed_on, $now as accepted_at, $by as accepted_by, alert_id
from alerts
where list_contains($alert_ids, alert_id) and closed_at is null and changed_on is not null;

-- The comparisons of the versions of the system of an alert.
select v.*
from version_comparisons as v
inner join alerts as a on a.question = v.question and a.subject = v.system
where a.alert_id = $alert_id

-- The agreement on the last items of the question of an alert.
select *
from latest_agreement
where period = 'last_n' and question = (select question from alerts where alert_id = $alert_id)

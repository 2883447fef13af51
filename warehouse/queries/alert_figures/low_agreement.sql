-- The agreement over all ratings of the question of an alert.
select *
from latest_agreement
where period = 'all' and question = (select question from alerts where alert_id = $alert_id)

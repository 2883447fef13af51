-- The batches of the question of an alert, the latest first.
select b.*
from batches as b
inner join batch_questions as q using (batch_id)
where q.question = (select question from alerts where alert_id = $alert_id)
order by b.ingested_at desc

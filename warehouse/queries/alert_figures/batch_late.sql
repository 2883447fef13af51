-- The batches of the question of an alert that came from a source, the latest first.
select b.*
from batches as b
inner join batch_questions as q using (batch_id)
where
    q.question = (select question from alerts where alert_id = $alert_id)
    and (b.reader is null or b.reader not in ('audit', 'worklist'))
order by b.ingested_at desc

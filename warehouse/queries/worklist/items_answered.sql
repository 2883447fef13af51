-- The items of a question that answers of a worklist rated after its last evaluation: the figures do not have them yet.
with last_run as (
    select started_at, input_revision
    from runs
    where question = $question and kind = 'evaluate' and status = 'succeeded'
    order by started_at desc, run_id desc
    limit 1
)

select distinct i.item
from internal.ratings as r
inner join internal.batches as n using (batch_no)
inner join batches as b on n.batch_id = b.batch_id
inner join internal.questions as q on r.question_id = q.question_id
inner join internal.items as i using (item_id)
inner join last_run as l on r.ingested_at >= l.started_at and q.revision > l.input_revision
where
    q.question = $question and b.source = 'worklist' and r.superseded_at is null and r.deleted_at is null
order by i.item;

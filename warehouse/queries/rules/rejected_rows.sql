-- The latest batch of each source, with its rows that were read and refused, of the questions of `incoming_limits`
-- (question, value). A batch belongs to the questions that it has ratings of; one without any to those of its source.
with of_source as (
    select distinct b.source, c.question
    from batches as b
    inner join batch_questions as c using (batch_id)
),

latest as (
    select source, batch_id, file_name, n_rows, n_rejected
    from batches
    where n_rows > 0
    qualify row_number() over (partition by source order by ingested_at desc, file_name desc, batch_id) = 1
),

questions as (
    select t.batch_id, coalesce(c.question, s.question) as question
    from latest as t
    left join batch_questions as c using (batch_id)
    left join of_source as s on c.question is null and t.source is not distinct from s.source
)

select
    l.question, l.value as threshold, t.source, t.file_name, t.n_rows, t.n_rejected,
    t.n_rejected / t.n_rows as share
from incoming_limits as l
inner join questions as q using (question)
inner join latest as t using (batch_id)
order by l.question, t.source;

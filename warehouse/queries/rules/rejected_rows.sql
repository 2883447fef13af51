-- Of the questions of `incoming_limits` (question, value): for each source the batch with the largest share of rejected
-- rows, of those that came at most a day before the latest one. A batch belongs to the questions that it has ratings of;
-- one without any to those of its source. Answers that `audit` and `worklist` take in come from no source.
with of_source as (
    select distinct b.source, c.question
    from batches as b
    inner join batch_questions as c using (batch_id)
),

latest as (
    select source, batch_id, file_name, n_rows, n_rejected
    from batches
    where n_rows > 0 and (reader is null or reader not in ('audit', 'worklist'))
    qualify ingested_at >= max(ingested_at) over (partition by source) - interval 1 day
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
qualify row_number() over (partition by l.question, t.source order by share desc, t.file_name, t.batch_id) = 1
order by l.question, t.source;

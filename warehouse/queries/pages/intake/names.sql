-- What pages can be filtered by: one row per question, rater, system, slice and recent batch.
-- A batch has the name of its file in `label`. A question is also of the kind 'labelled' if its answers are labels.
with recent as (
    select batch_id, file_name, ingested_at
    from batches
    where status = 'stored'
    order by ingested_at desc, batch_id
    limit 100
),

evaluated as materialized (select distinct question, results from latest_runs)

select distinct 'question' as kind, question, question as value, question as label, 0 as place
from evaluated
union all
select distinct 'labelled', question, question, question, 0
from evaluated
where results not in ('region_agreement', 'model_strengths', 'preference_figures')
union all
select distinct 'rater', question, rater, rater, 0
from rater_quality
where rater_kind = 'human'
union all
select distinct 'system', question, system, system, 0
from system_accuracy
union all
select distinct 'slice', question, substr(scope, 7), substr(scope, 7), 0
from agreement
where scope like 'slice:%'
union all
select 'batch', q.question, b.batch_id, b.file_name, row_number() over (order by b.ingested_at desc, b.batch_id)
from recent as b inner join batch_questions as q using (batch_id)
order by kind, place, question, value;

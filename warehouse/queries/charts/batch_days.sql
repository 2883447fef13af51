-- The first and last day of the items that the batches with these file names ($names) rated, or worked on, of a question.
with zone as (select timezone from internal.project_time),

this_question as (select question_id from internal.questions where question = $question),

rated as (
    select batch_no, first_at, last_at
    from internal.batch_windows
    where question_id in (from this_question)
    union all
    select batch_no, min(coalesce(rated_at, ingested_at)) as first_at, max(coalesce(rated_at, ingested_at)) as last_at
    from internal.region_work
    where question_id in (from this_question) and withdrawn_at is null and deleted_at is null
    group by batch_no
)

select
    min((r.first_at at time zone (select timezone from zone))::date) as first_day,
    max((r.last_at at time zone (select timezone from zone))::date) as last_day,
    count(distinct b.file_name) as n_names
from rated as r
inner join internal.batches as n using (batch_no)
inner join batches as b using (batch_id)
where list_contains($names, b.file_name);

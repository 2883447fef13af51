-- Store the spans and boxes that raters marked, one row per rater's work on an item. A further attempt withdraws those that
-- the file no longer has, or has otherwise. A row is unchanged if it repeats the work before it by the same rater on the
-- same item. Batches count in the order of their arrival. Every other row is new work; the last of a rater is in force.
-- `kept_work`: work of the batch that the file has unchanged. A question may have ratings in the file, too.
-- Reads: incoming_work, internal.batch_questions, internal.region_work
-- Writes: counted_work, internal.batch_questions, internal.region_work, kept_work
create or replace temp table kept_work as
select p.work_id, v.arrival
from internal.region_work as p inner join incoming_work as v
    on p.question_id = v.question_id and p.item = v.item and p.rater_id = v.rater_id
    and p.rater_kind::varchar = v.rater_kind and p.regions = v.regions
    and p.text_length is not distinct from v.text_length and p.rated_at is not distinct from v.rated_at
where p.batch_no = $batch_no and p.withdrawn_at is null
qualify
    row_number() over (partition by p.work_id order by v.arrival)
    = row_number() over (partition by v.arrival order by p.work_id);

update internal.region_work
set withdrawn_at = $now
where batch_no = $batch_no and withdrawn_at is null and work_id not in (select work_id from kept_work);

insert into internal.region_work by name
with stored_before as (
    select question_id, item, rater_id, regions
    from internal.region_work
    where batch_no < $batch_no and withdrawn_at is null and deleted_at is null
    qualify row_number() over (partition by question_id, item, rater_id order by batch_no desc, work_id desc) = 1
),

compared as (
    select
        v.*,
        coalesce(
            lag(v.regions) over (partition by v.question_id, v.item, v.rater_id order by v.arrival), s.regions
        ) as regions_before
    from incoming_work as v left join stored_before as s
        on v.question_id = s.question_id and v.item = s.item and v.rater_id = s.rater_id
)

select
    (select coalesce(max(work_id), 0) + 1 from internal.region_work) + arrival as work_id, question_id, item, rater_id,
    rater_kind::internal.rater_kind as rater_kind, regions, n_spans, n_boxes, text_length, $batch_no as batch_no,
    $now as ingested_at, rated_at, source_ref
from compared anti join kept_work using (arrival)
where regions_before is null or regions_before <> regions;

create or replace temp table counted_work as
with stored as (
    select question_id, count(*) as n
    from internal.region_work
    where batch_no = $batch_no and withdrawn_at is null
    group by question_id
)

select
    question_id, coalesce(any_value(stored.n), 0) as n_ratings, count(*) - coalesce(any_value(stored.n), 0) as n_unchanged
from incoming_work left join stored using (question_id)
group by question_id;

update internal.batch_questions as b
set n_ratings = b.n_ratings + w.n_ratings, n_unchanged = b.n_unchanged + w.n_unchanged
from counted_work as w
where b.batch_no = $batch_no and b.question_id = w.question_id;

insert into internal.batch_questions
select $batch_no, question_id, n_ratings, n_unchanged
from counted_work
where question_id not in (select question_id from internal.batch_questions where batch_no = $batch_no);

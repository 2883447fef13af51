-- Spans, boxes, rankings and texts that are no longer there. A full export has all work of its questions: what earlier
-- files of the same source brought and it lacks is deleted, with all its versions, also where work of another source has
-- replaced it. A rejected row protects the work that it would have replaced. A live source shows its tasks with all their
-- answers: work that a shown task had before and lacks now was deleted or skipped. `missing_work`: this work.
-- Reads: batches, incoming_answers, incoming_rejects, incoming_tasks, incoming_work, internal.batches,
-- internal.live_answers, internal.questions, internal.raters, internal.region_work
-- Writes: internal.region_work, missing_work
create or replace temp table missing_work as
with present as (
    select question_id, item, rater_id
    from incoming_work
    union
    select q.question_id, r.item, a.rater_id
    from incoming_rejects as r
    inner join internal.questions as q using (question)
    inner join internal.raters as a using (rater)
),

of_source as (
    select i.batch_no
    from batches as b inner join internal.batches as i using (batch_id)
    where b.source = $source
),

in_force as (
    select work_id, question_id, item, rater_id, batch_no
    from internal.region_work
    where withdrawn_at is null and deleted_at is null
    qualify row_number() over (partition by question_id, item, rater_id order by batch_no desc, work_id desc) = 1
),

vanished as (
    select w.work_id, w.question_id, w.item, w.rater_id
    from internal.region_work as w anti join present as p using (question_id, item, rater_id)
    where
        $full_export and w.withdrawn_at is null and w.deleted_at is null
        and w.batch_no in (select batch_no from of_source)
        and w.question_id in (select question_id from incoming_work)
),

gone_answers as (
    select question, item, source_ref
    from internal.live_answers semi join incoming_tasks using (task)
    where stream = $stream
    except
    select question, item, source_ref from incoming_answers
),

missing as (
    select work_id from vanished
    union
    select p.work_id
    from internal.region_work as p semi join (
        select v.question_id, v.item, v.rater_id
        from vanished as v semi join in_force using (work_id)
    ) using (question_id, item, rater_id)
    union
    select p.work_id
    from gone_answers as g
    inner join internal.questions as q using (question)
    inner join internal.region_work as p
        on q.question_id = p.question_id and g.item = p.item and g.source_ref = p.source_ref
)

select m.work_id, m.work_id in (select work_id from in_force) as in_force
from missing as m;

update internal.region_work as p
set deleted_at = $now, deleted_by = $batch_no, deleted_in_force = m.in_force
from missing_work as m
where p.work_id = m.work_id and p.withdrawn_at is null and p.deleted_at is null;

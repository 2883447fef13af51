-- Supersede older versions, insert the new ratings, and count the rows of each question.
-- Reads: internal.ratings, refused, settled, staged, verdicts
-- Writes: internal.batch_questions, internal.ratings
update internal.ratings
set superseded_at = $now
where superseded_at is null and rating_id in (select arrival from verdicts where not is_new and not is_current);

insert into internal.ratings by name
select
    (select coalesce(max(rating_id), 0) + 1 from internal.ratings) + s.arrival as rating_id, s.question_id, s.item_id,
    s.rater_id, s.rater_kind::internal.rater_kind as rater_kind, s.system_version, s.label_id, s.rated_at, s.score,
    s.duration_s, $batch_no as batch_no, s.row_number, s.source_ref, s.file_rater_id,
    $now as ingested_at,
    if(coalesce(v.is_current, true), null, $now::timestamptz) as superseded_at
from (from staged anti join settled using (arrival)) as s
left join (from verdicts where is_new) as v using (arrival)
where not coalesce(v.is_unchanged or v.is_refused, false);

delete from internal.batch_questions
where batch_no = $batch_no;

insert into internal.batch_questions
with stored as (
    select question_id, count(*) as n
    from internal.ratings
    where batch_no = $batch_no and withdrawn_at is null and restores is null
    group by question_id
)

select
    $batch_no, question_id, coalesce(any_value(stored.n), 0), count(*) - coalesce(any_value(stored.n), 0)
from (from staged anti join refused using (arrival)) left join stored using (question_id)
group by question_id;

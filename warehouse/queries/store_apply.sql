-- Writes what was decided: older versions are superseded, new ones stored, changed questions counted up.
update internal.ratings
set superseded_at = $now
where rating_id in (select arrival from verdicts where not is_new and not is_current);

insert into internal.ratings
select
    (select coalesce(max(rating_id), 0) + 1 from internal.ratings) + s.arrival, s.question_id, s.item_id, s.rater_id,
    s.rater_kind::internal.rater_kind, s.system_version, s.label_id, s.rated_at, s.score, s.duration_s, $batch_no,
    s.row_number, s.source_ref, $now, if(coalesce(v.is_current, true), null, $now::timestamptz), null
from (from staged anti join settled using (arrival)) as s
left join (from verdicts where is_new) as v using (arrival)
where not coalesce(v.is_unchanged, false);

insert into internal.batch_questions
with stored as (select question_id, count(*) as n from internal.ratings where batch_no = $batch_no group by question_id)

select $batch_no, question_id, coalesce(any_value(stored.n), 0), count(*) - coalesce(any_value(stored.n), 0)
from staged left join stored using (question_id)
group by question_id;

update internal.questions
set revision = revision + 1
where question_id in (select question_id from internal.batch_questions where batch_no = $batch_no and n_ratings > 0);

-- The time window of the batch: the first and last time of its human ratings, in force or not, but not withdrawn.
-- Reads: internal.declared_kinds, internal.ratings
-- Writes: internal.batch_windows
delete from internal.batch_windows
where batch_no = $batch_no;

insert into internal.batch_windows
select
    r.batch_no, r.question_id, min(coalesce(r.rated_at, r.ingested_at)), max(coalesce(r.rated_at, r.ingested_at))
from internal.ratings as r
left join internal.declared_kinds as d on r.question_id = d.question_id and r.rater_id = d.rater_id
where
    r.batch_no = $batch_no and coalesce(d.rater_kind, r.rater_kind) = 'human' and r.withdrawn_at is null
    and r.restores is null
group by r.batch_no, r.question_id;

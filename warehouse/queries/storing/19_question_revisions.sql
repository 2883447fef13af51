-- `changed`: the questions with a rating, vote or marked item that was inserted or deleted in this transaction. Their revision counts
-- up, so that they are evaluated again. The days whose counts changed get this revision: the charts compute them again.
-- Reads: day_changes, internal.preferences, internal.questions, internal.ratings, internal.region_work
-- Writes: changed, internal.changed_days, internal.questions
create or replace temp table changed as
select distinct question_id
from internal.ratings
where ingested_at = $now or deleted_at = $now
union
select question_id
from internal.preferences
where ingested_at = $now or withdrawn_at = $now
union
select question_id
from internal.region_work
where ingested_at = $now or withdrawn_at = $now or deleted_at = $now;

update internal.questions
set revision = revision + 1
where question_id in (select question_id from changed);

delete from internal.changed_days
where (question_id, day) in (select question_id, day from day_changes);

insert into internal.changed_days
select distinct d.question_id, d.day, q.revision
from day_changes as d inner join internal.questions as q using (question_id);

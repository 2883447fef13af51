-- `changed`: the questions with a rating that was inserted or deleted in this transaction. Their revision counts up, so
-- that they are evaluated again.
-- Reads: internal.ratings
-- Writes: changed, internal.questions
create or replace temp table changed as
select distinct question_id
from internal.ratings
where ingested_at = $now or deleted_at = $now;

update internal.questions
set revision = revision + 1
where question_id in (select question_id from changed);

-- `changed`: the questions with a rating that came, gave way or was deleted just now. They are counted up, which is
-- what makes them due for evaluation.
create or replace temp table changed as
select distinct question_id
from internal.ratings
where ingested_at = $now or deleted_at = $now;

update internal.questions
set revision = revision + 1
where question_id in (select question_id from changed);

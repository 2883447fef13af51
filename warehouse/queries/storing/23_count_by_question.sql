-- One row per question of the batch: its new and unchanged ratings and votes over all attempts, and whether it changed.
-- Reads: changed, internal.batch_questions, internal.questions
select q.question, b.n_ratings, b.n_unchanged, q.question_id in (select question_id from changed) as is_changed
from internal.batch_questions as b inner join internal.questions as q using (question_id)
where b.batch_no = $batch_no
order by q.question;

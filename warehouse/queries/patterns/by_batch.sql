-- One row per batch and pattern of a question: items with a human rating in force from the batch.
select b.batch_id, w.first_at, w.last_at, p.pattern_id, p.n_items
from internal.batch_patterns as p
inner join internal.batch_windows as w using (batch_no, question_id)
inner join internal.batches as b using (batch_no)
where p.question_id = (select question_id from internal.questions where question = $question)
order by w.first_at, b.batch_id, p.pattern_id;

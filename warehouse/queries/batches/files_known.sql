-- One row per batch: what was read already, how, with which settings, how much of it was refused, and the questions that
-- it has ratings of.
select
    b.batch_id, b.sha256, b.reader, b.source, b.file_name, b.status, b.settings_hash, b.attempt, b.n_rejected,
    b.reading, coalesce(q.questions, []) as questions
from batches as b left join (
    select batch_id, list(question) as questions from batch_questions group by batch_id
) as q using (batch_id)
order by b.ingested_at, b.batch_id;

-- Rows of one run and question, by pattern, in place of those of earlier runs: only the latest are kept. A pattern that
-- nobody has shown since it was read is passed over.
delete from internal.pattern_consensus
where question_id = (select question_id from internal.questions where question = $question);

insert into internal.pattern_consensus by name
select $run_id as run_id, p.question_id, c.*
from incoming_item_consensus as c
inner join internal.patterns as p using (pattern_id)
inner join internal.questions as q using (question_id)
where q.question = $question;

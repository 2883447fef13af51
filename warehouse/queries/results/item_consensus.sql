-- Store the consensus of one run and question by pattern, in place of that of earlier runs: only the latest is kept.
-- Patterns that no item shows any more are left out. `overtaken`: successful runs that began later than this one. If
-- there is one, nothing changes.
create or replace temp table overtaken as
select later.run_id
from runs as later inner join runs as this using (question, kind)
where
    this.run_id = $run_id and later.status = 'succeeded'
    and (later.started_at, later.run_id) > (this.started_at, this.run_id);

delete from internal.pattern_consensus
where
    question_id = (select question_id from internal.questions where question = $question)
    and not exists (from overtaken);

insert into internal.pattern_consensus by name
select $run_id as run_id, p.question_id, c.*
from incoming_item_consensus as c
inner join internal.patterns as p using (pattern_id)
inner join internal.questions as q using (question_id)
where q.question = $question and not exists (from overtaken);

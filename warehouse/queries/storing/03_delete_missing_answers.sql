-- A live source shows its tasks with all their answers. An answer that a shown task had before and lacks now was
-- deleted, skipped or emptied: all versions of its rating are deleted. `removed`: these ratings.
-- Reads: incoming_answers, incoming_tasks, internal.items, internal.live_answers, internal.questions, internal.ratings
-- Writes: internal.ratings, removed
create or replace temp table removed as
with missing as (
    select question, item, source_ref
    from internal.live_answers semi join incoming_tasks using (task)
    where stream = $stream
    except
    select question, item, source_ref from incoming_answers
)

select r.rating_id, r.item_id, r.rater_id
from missing as m
inner join internal.questions as q using (question)
inner join internal.items as i on q.question_id = i.question_id and m.item = i.item
inner join internal.ratings as r on i.item_id = r.item_id and m.source_ref = r.source_ref
where r.deleted_at is null;

update internal.ratings
set deleted_at = $now, deleted_by = $batch_no
where rating_id in (select rating_id from removed);

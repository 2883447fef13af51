-- Store what the batch has shown of its live source, and how far the source has been read.
-- Reads: incoming_answers, incoming_tasks
-- Writes: internal.live_answers, internal.live_cursors, internal.live_tasks
delete from internal.live_answers
where stream = $stream and task in (select task from incoming_tasks);

insert into internal.live_answers
select distinct $stream, task, question, item, source_ref
from incoming_answers;

delete from internal.live_tasks
where stream = $stream and task in (select task from incoming_tasks);

insert into internal.live_tasks (stream, task, state, n_predictions, changed_at)
select $stream, task, state, n_predictions, changed_at
from incoming_tasks
where state is not null;

delete from internal.live_cursors
where stream = $stream and $cursor_at is not null;

insert into internal.live_cursors
select $stream, $cursor_at
where $cursor_at is not null;

-- What a batch of a live source has shown, and how far it goes. A file has no stream, and writes nothing.
delete from internal.live_answers
where stream = $stream and task in (select task from incoming_tasks);

insert into internal.live_answers
select distinct $stream, task, question, item, source_ref
from incoming_answers;

delete from internal.live_tasks
where stream = $stream and task in (select task from incoming_tasks);

insert into internal.live_tasks
select $stream, task, state, n_predictions
from incoming_tasks
where state is not null;

delete from internal.live_cursors
where stream = $stream and $cursor_at is not null;

insert into internal.live_cursors
select $stream, $cursor_at
where $cursor_at is not null;

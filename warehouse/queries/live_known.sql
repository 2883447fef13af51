-- One row per task of a stream that is known.
select task
from internal.live_tasks
where stream = $stream
order by task;

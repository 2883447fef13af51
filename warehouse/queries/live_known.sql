-- One row per task of a stream that is known, and how many predictions it had.
select task, n_predictions
from internal.live_tasks
where stream = $stream
order by task;

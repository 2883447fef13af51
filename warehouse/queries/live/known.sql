-- One row per stored task of a stream: how many predictions it had.
select task, n_predictions
from internal.live_tasks
where stream = $stream
order by task;

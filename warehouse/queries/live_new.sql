-- The tasks that are new, or not as they were when they were last seen.
select task
from (from incoming_tasks) as t anti join (from internal.live_tasks where stream = $stream) as k
    on t.task = k.task and t.state = k.state;

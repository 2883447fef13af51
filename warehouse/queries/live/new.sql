-- The tasks that are new, or not as they were when they were last seen, or seen before their times were kept.
select task
from (from incoming_tasks) as t
anti join (from internal.live_tasks where stream = $stream and changed_at is not null) as k
    on t.task = k.task and t.state = k.state;

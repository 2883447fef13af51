-- The tasks of a stream that had changed last from a moment up to another, both included.
select task, changed_at
from internal.live_tasks
where stream = $stream and changed_at between $since and $upto;

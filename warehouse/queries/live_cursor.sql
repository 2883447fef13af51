-- One row, or none: up to when the changes of a stream have been taken in.
select cursor_at
from internal.live_cursors
where stream = $stream;

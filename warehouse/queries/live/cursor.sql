-- One row, or none before the first batch: up to when the changes of a stream are stored.
select cursor_at
from internal.live_cursors
where stream = $stream;

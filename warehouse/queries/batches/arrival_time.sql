-- One row: the arrival time of a batch. It is later than that of every earlier batch, even if the clock was set back.
select greatest($now::timestamptz, max(ingested_at) + interval 1 microsecond)
from batches;

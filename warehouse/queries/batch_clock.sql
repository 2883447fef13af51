-- One row: the time of arrival of a batch, later than that of any before it even where the clock went back.
select greatest($now::timestamptz, max(ingested_at) + interval 1 microsecond)
from batches;

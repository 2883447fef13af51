-- Give a batch its number and its first arrival time, if it has none yet. One row: both.
insert into internal.batches
select (select coalesce(max(batch_no), 0) + 1 from internal.batches), $batch_id
where $batch_id not in (select batch_id from internal.batches);

insert into internal.arrivals
select batch_no, $now
from internal.batches
where batch_id = $batch_id and batch_no not in (select batch_no from internal.arrivals);

select batch_no, arrived_at
from internal.batches inner join internal.arrivals using (batch_no)
where batch_id = $batch_id;

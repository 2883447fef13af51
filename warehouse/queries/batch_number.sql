-- Gives a batch its number, if it has none yet.
insert into internal.batches
select (select coalesce(max(batch_no), 0) + 1 from internal.batches), $batch_id
where $batch_id not in (select batch_id from internal.batches);

select batch_no
from internal.batches
where batch_id = $batch_id;

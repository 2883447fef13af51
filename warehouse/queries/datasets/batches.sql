-- One row per stored batch of a source of type dataset: its number, its id, its first arrival and its attempts.
select n.batch_no, b.batch_id, a.arrived_at, b.attempt, b.file_name
from batches as b
inner join internal.batches as n using (batch_id)
inner join internal.arrivals as a using (batch_no)
where b.source = $source and b.reader = 'dataset' and b.status = 'stored'
order by n.batch_no;

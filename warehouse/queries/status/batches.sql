-- One row per status of batches.
select status, count(*) as n
from batches
group by status
order by status;

-- The files that could not be read.
select distinct file_name
from batches
where status = 'rejected'
order by file_name;

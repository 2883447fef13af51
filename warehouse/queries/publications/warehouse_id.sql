-- One row: the id of the first run, which tells this warehouse from any other.
select run_id
from runs
order by started_at, run_id
limit 1;

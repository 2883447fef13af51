-- One row with the status of a run, or none.
select status
from runs
where run_id = $run_id;

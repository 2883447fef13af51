-- One row, or none: how far a run has come.
select status
from runs
where run_id = $run_id;

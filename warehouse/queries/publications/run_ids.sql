-- One row per run, the newest first.
select run_id
from runs
order by started_at desc, run_id;

-- A run that has been under way for more than a day: its process is gone.
-- To do: Run `kappaflow run`: it closes the runs of ended processes.
select run_id, kind, question, started_at
from runs
where status = 'running' and started_at < current_timestamp - interval 1 day;

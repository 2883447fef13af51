-- The last five runs.
select kind, status, started_at, ended_at, detail
from runs
where question is null
order by started_at desc, run_id desc
limit 5;

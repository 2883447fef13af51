-- The status of the last run on all questions, and whether this version of kappaflow made it.
select status, code_version = $code_version
from runs
where question is null
order by started_at desc, run_id desc
limit 1;

-- One row per question: the last successful run that evaluated it.
select question, arg_max(run_id, (started_at, run_id)) as run_id
from runs
where kind = 'evaluate' and status = 'succeeded' and question is not null
group by question
order by question;

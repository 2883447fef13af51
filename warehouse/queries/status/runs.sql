-- One row per kind of run and question: the last run.
select run_id, kind, question, status, code_version, started_at, ended_at, detail
from runs
qualify row_number() over (partition by kind, question order by started_at desc, run_id desc) = 1
order by started_at desc, kind, question;

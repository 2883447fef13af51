-- The runs, the latest first.
select kind, question, status, code_version, n_ratings, started_at, ended_at, detail, run_id
from runs
where $question is null or question = $question
order by started_at desc, kind, question
limit $n_rows;

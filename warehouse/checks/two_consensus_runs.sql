-- A question with the consensus of more than one run: only the latest is kept.
-- To do: Run `kappaflow evaluate --all`; it writes the consensus of each question again.
select question_id, count(distinct run_id) as n_runs
from internal.pattern_consensus
group by question_id
having count(distinct run_id) > 1;

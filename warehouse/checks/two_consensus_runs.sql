-- A question with the consensus of more than one run: only the latest is kept.
-- To do: Run `kappaflow evaluate --all`; it writes the consensus of each question anew.
select question, count(distinct run_id) as n_runs
from item_consensus
group by question
having count(distinct run_id) > 1;

-- A question with the consensus of more than one run: only the latest is kept.
select question, count(distinct run_id) as n_runs
from item_consensus
group by question
having count(distinct run_id) > 1;

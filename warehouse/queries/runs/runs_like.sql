-- The runs whose id starts with $beginning, the latest first.
select *
from runs
where starts_with(run_id, $beginning)
order by started_at desc, run_id
limit 3;

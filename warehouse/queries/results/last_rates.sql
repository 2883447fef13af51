-- The label rates by the raters (method model) over all items that each system answered, by the last evaluation.
select a.system, a.label, a.estimate, a.low, a.high
from label_rates as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'label_rates'
where a.question = $question and a.scope = 'all' and a.method = 'model'
order by a.system, a.label;

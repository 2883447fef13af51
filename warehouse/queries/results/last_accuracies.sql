-- The accuracies over all items of a question, by its last evaluation: of people (kind human), and of systems by the
-- method average (kind system).
select 'human' as kind, q.rater as subject, q.accuracy, q.low, q.high, q.reason, q.detail
from rater_quality as q
inner join latest_runs as r on q.run_id = r.run_id and q.question = r.question and r.results = 'rater_quality'
where q.question = $question and q.rater_kind = 'human'
union all
select 'system', s.system, s.accuracy, s.low, s.high, s.reason, s.detail
from system_accuracy as s
inner join latest_runs as r on s.run_id = r.run_id and s.question = r.question and r.results = 'system_accuracy'
where s.question = $question and s.scope = 'all' and s.method = 'average'
order by kind, subject;

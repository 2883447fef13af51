-- The accuracies over all items of a question, by its last evaluation: of people (kind human), of systems by the
-- method average (kind system), and of all people together (kind people), where they were compared with a system.
select 'human' as kind, q.rater as subject, q.accuracy, q.low, q.high, q.reason, q.detail
from rater_quality as q
inner join latest_runs as r on q.run_id = r.run_id and q.question = r.question and r.results = 'rater_quality'
where q.question = $question and q.rater_kind = 'human'
union all
select 'system', s.system, s.accuracy, s.low, s.high, s.reason, s.detail
from system_accuracy as s
inner join latest_runs as r on s.run_id = r.run_id and s.question = r.question and r.results = 'system_accuracy'
where s.question = $question and s.scope = 'all' and s.method = 'average'
union all
select 'people', null, avg(a.rater_accuracy), null, null, null, null
from latest_systems_against_raters as a
where a.question = $question and a.compared_with = 'average_rater'
having avg(a.rater_accuracy) is not null
order by kind, subject;

-- One row per question, figure and rater: agreement and position bias of those who vote on pairs of models.
create or replace view latest_preference_figures as
select
    a.question, a.figure, a.rater, a.estimate, a.low, a.high, a.confidence, a.n_votes, a.n_comparisons, a.reason,
    a.detail, a.run_id, r.started_at as evaluated_at
from preference_figures as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'preference_figures'
where r.kind = 'evaluate'
order by a.question, a.figure, a.rater nulls first;

comment on view latest_preference_figures is
    'One row per question, figure and rater: agreement and position bias of those who vote on pairs of models.';

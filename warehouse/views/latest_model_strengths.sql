-- One row per question and model: its strength by votes on pairs of models.
create or replace view latest_model_strengths as
select
    a.question, a.model, a.strength, a.se, a.low, a.high, a.confidence, a.rank, a.rank_low, a.rank_high, a.n_votes,
    a.n_wins, a.n_losses, a.n_ties, a.votes_of, a.interval_method, a.reason, a.detail, a.run_id, r.started_at as
    evaluated_at
from model_strengths as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'model_strengths'
where r.kind = 'evaluate'
order by a.question, a.rank nulls last, a.model;

comment on view latest_model_strengths is 'One row per question and model: its strength by votes on pairs of models.';
comment on column latest_model_strengths.interval_method is
    'clustered: votes on one item may depend on each other; information: no two votes are on one item.';

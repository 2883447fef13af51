-- One row per question, human rater and label: what the last run found.
create or replace view latest_rater_bias as
select
    a.question, a.rater, a.label, a.n_items, a.own_share, a.others_share, a.bias, a.low, a.high, a.confidence, a.reason,
    a.run_id, r.started_at as evaluated_at
from rater_bias as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'rater_bias'
where r.kind = 'evaluate'
order by a.question, a.rater, a.label;

comment on view latest_rater_bias is 'One row per question, human rater and label: who gives which label more often.';

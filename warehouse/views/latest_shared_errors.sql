-- One row per question: how strongly the raters' errors go together, by gold, as the last run found.
create or replace view latest_shared_errors as
select
    a.question, a.correlation, a.low, a.high, a.confidence, a.raters_per_item, a.n_effective, a.n_effective_low,
    a.n_effective_high, a.n_items, a.reason, a.detail, a.run_id, r.started_at as evaluated_at
from shared_errors as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'shared_errors'
where r.kind = 'evaluate'
order by a.question;

comment on view latest_shared_errors is
    'One row per question: how strongly the raters'' errors are correlated, measured on the gold items, and how many independent raters that leaves.';

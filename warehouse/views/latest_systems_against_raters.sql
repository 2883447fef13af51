-- One row per question, system and standard: what the last run found.
create or replace view latest_systems_against_raters as
select
    a.question, a.system, a.compared_with, a.rater, a.accuracy, a.rater_accuracy, a.difference, a.se, a.low, a.high,
    a.confidence, a.p_system_better, a.n_items, a.reason, a.detail, a.warnings, a.run_id,
    r.started_at as evaluated_at, a.n_gold
from systems_against_raters as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'systems_against_raters'
where r.kind = 'evaluate'
order by a.question, a.compared_with, a.difference desc nulls last, a.system;

comment on view latest_systems_against_raters is
    'One row per question, system and standard (average rater, best rater): is the system better?';
comment on column latest_systems_against_raters.rater_accuracy is 'The annotators'' accuracy (average_rater), or that of the best rater.';

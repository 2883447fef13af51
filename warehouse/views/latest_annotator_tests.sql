-- One row per question and system: what the last run found.
create or replace view latest_annotator_tests as
select
    a.question, a.system, a.winning_rate, a.advantage_probability, a.n_raters, a.passes, a.reason, a.detail,
    a.run_id, r.started_at as evaluated_at, a.n_gold
from annotator_tests as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'annotator_tests'
where r.kind = 'evaluate'
order by a.question, a.winning_rate desc nulls last, a.system;

comment on view latest_annotator_tests is
    'One row per question and system: the alternative annotator test, which asks whether the system can replace a human rater.';

-- One row per question, kind of run and table of results of which the last successful run of the kind wrote rows.
-- A table that it wrote no rows of has none here: the rows of earlier runs no longer count.
create or replace view latest_runs as
with written as (
    select distinct 'agreement' as results, run_id, question from agreement
    union all
    select distinct 'pairwise_agreement', run_id, question from pairwise_agreement
    union all
    select distinct 'rater_quality', run_id, question from rater_quality
    union all
    select distinct 'system_accuracy', run_id, question from system_accuracy
    union all
    select distinct 'accuracy_bins', run_id, question from accuracy_bins
    union all
    select distinct 'assumption_checks', run_id, question from assumption_checks
    union all
    select distinct 'item_consensus', c.run_id, q.question
    from internal.pattern_consensus as c inner join internal.questions as q using (question_id)
    union all
    select distinct 'system_differences', run_id, question from system_differences
    union all
    select distinct 'systems_against_raters', run_id, question from systems_against_raters
    union all
    select distinct 'annotator_tests', run_id, question from annotator_tests
    union all
    select distinct 'label_quality', run_id, question from label_quality
    union all
    select distinct 'rater_scorecards', run_id, question from rater_scorecards
    union all
    select distinct 'rater_bias', run_id, question from rater_bias
    union all
    select distinct 'label_rates', run_id, question from label_rates
    union all
    select distinct 'label_rate_differences', run_id, question from label_rate_differences
    union all
    select distinct 'model_strengths', run_id, question from model_strengths
    union all
    select distinct 'preference_figures', run_id, question from preference_figures
    union all
    select distinct 'region_agreement', run_id, question from region_agreement
    union all
    select distinct 'shared_errors', run_id, question from shared_errors
),

last_runs as (
    select question, kind, run_id, started_at
    from runs
    where status = 'succeeded'
    qualify row_number() over (partition by question, kind order by started_at desc, run_id desc) = 1
)

select w.question, w.results, r.kind, r.run_id, r.started_at
from written as w inner join last_runs as r using (run_id, question);

comment on view latest_runs is
    'One row per question, table of results and kind of run: the last successful run, where it wrote rows of that table.';
comment on column latest_runs.results is 'Name of the table of results.';
comment on column latest_runs.kind is 'Kind of the run.';
comment on column latest_runs.run_id is 'The run.';
comment on column latest_runs.started_at is 'When it began (UTC).';

-- Results of a run that does not exist, or that did not succeed.
-- To do: Restore the last sound backup, or ingest the exports again into a new warehouse.
with written as (
    select distinct 'agreement' as results, run_id from agreement
    union all
    select distinct 'pairwise_agreement', run_id from pairwise_agreement
    union all
    select distinct 'rater_quality', run_id from rater_quality
    union all
    select distinct 'system_accuracy', run_id from system_accuracy
    union all
    select distinct 'accuracy_bins', run_id from accuracy_bins
    union all
    select distinct 'assumption_checks', run_id from assumption_checks
    union all
    select distinct 'item_consensus', run_id from internal.pattern_consensus
    union all
    select distinct 'system_differences', run_id from system_differences
    union all
    select distinct 'systems_against_raters', run_id from systems_against_raters
    union all
    select distinct 'annotator_tests', run_id from annotator_tests
    union all
    select distinct 'label_quality', run_id from label_quality
    union all
    select distinct 'rater_scorecards', run_id from rater_scorecards
    union all
    select distinct 'rater_bias', run_id from rater_bias
    union all
    select distinct 'label_windows', run_id from label_windows
    union all
    select distinct 'label_confusion_windows', run_id from label_confusion_windows
    union all
    select distinct 'rater_windows', run_id from rater_windows
    union all
    select distinct 'system_windows', run_id from system_windows
    union all
    select distinct 'label_rate_windows', run_id from label_rate_windows
    union all
    select distinct 'label_rates', run_id from label_rates
    union all
    select distinct 'label_rate_differences', run_id from label_rate_differences
    union all
    select distinct 'model_strengths', run_id from model_strengths
    union all
    select distinct 'preference_figures', run_id from preference_figures
    union all
    select distinct 'region_agreement', run_id from region_agreement
    union all
    select distinct 'shared_errors', run_id from shared_errors
    union all
    select distinct 'region_windows', run_id from region_windows
    union all
    select distinct 'item_distances', run_id from item_distances
)

select w.results, w.run_id, r.status
from written as w left join runs as r using (run_id)
where r.status is distinct from 'succeeded';

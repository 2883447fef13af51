-- Results of a question that has never had a rating.
-- To do: Restore the last sound backup; what wrote them was not kappaflow.
with written as (
    select distinct 'agreement' as results, question from agreement
    union all
    select distinct 'pairwise_agreement', question from pairwise_agreement
    union all
    select distinct 'rater_quality', question from rater_quality
    union all
    select distinct 'system_accuracy', question from system_accuracy
    union all
    select distinct 'accuracy_bins', question from accuracy_bins
    union all
    select distinct 'assumption_checks', question from assumption_checks
    union all
    select distinct 'system_differences', question from system_differences
    union all
    select distinct 'systems_against_raters', question from systems_against_raters
    union all
    select distinct 'annotator_tests', question from annotator_tests
    union all
    select distinct 'label_quality', question from label_quality
    union all
    select distinct 'rater_scorecards', question from rater_scorecards
    union all
    select distinct 'rater_bias', question from rater_bias
    union all
    select distinct 'label_windows', question from label_windows
    union all
    select distinct 'label_confusion_windows', question from label_confusion_windows
    union all
    select distinct 'rater_windows', question from rater_windows
    union all
    select distinct 'system_windows', question from system_windows
    union all
    select distinct 'label_rate_windows', question from label_rate_windows
    union all
    select distinct 'label_rates', question from label_rates
    union all
    select distinct 'label_rate_differences', question from label_rate_differences
    union all
    select distinct 'model_strengths', question from model_strengths
    union all
    select distinct 'preference_figures', question from preference_figures
    union all
    select distinct 'region_agreement', question from region_agreement
    union all
    select distinct 'shared_errors', question from shared_errors
    union all
    select distinct 'region_windows', question from region_windows
    union all
    select distinct 'item_distances', question from item_distances
)

select w.results, w.question
from written as w left join internal.questions as q using (question)
where q.question is null;

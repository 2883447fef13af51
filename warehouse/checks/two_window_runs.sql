-- A question whose windows (of labels, raters, systems, regions) are not those of one run.
-- To do: Run `kappaflow evaluate --all`, then `kappaflow run`: it computes the windows again.
with written as (
    select distinct 'label_windows' as results, question, run_id from label_windows
    union all
    select distinct 'label_confusion_windows', question, run_id from label_confusion_windows
    union all
    select distinct 'rater_windows', question, run_id from rater_windows
    union all
    select distinct 'system_windows', question, run_id from system_windows
    union all
    select distinct 'label_rate_windows', question, run_id from label_rate_windows
    union all
    select distinct 'region_windows', question, run_id from region_windows
    union all
    select distinct 'window_digests', question, run_id from internal.window_digests
)

select question, count(distinct run_id) as n_runs
from written
group by question
having count(distinct run_id) > 1;

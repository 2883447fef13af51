-- The last weeks with ratings of each question up to today, $n_weeks at most: the accuracy of each system, how far each
-- annotator agrees with the others, and how often people give each label.
with windows as (
    select
        question, 'system' as kind, system as subject, period, period_start, first_day, n_items, accuracy as estimate,
        low, high, reason, confidence, too_few
    from system_trend
    union all
    select
        question, 'rater', rater, period, period_start, first_day, n_shared, agreement_with_others,
        agreement_low, agreement_high, if(n_shared = 0, 'too_few_items', null), confidence, too_few
    from rater_trend
    union all
    select question, 'label', label, period, period_start, first_day, n_items, share, low, high, null, confidence, too_few
    from label_trend
)

select question, kind, subject, first_day, n_items, estimate, low, high, reason, confidence, too_few
from windows
where period = 'week' and period_start <= now()
qualify dense_rank() over (partition by question, kind order by period_start desc) <= $n_weeks
order by question, kind, subject, first_day;

-- Krippendorff's alpha by week, of the last 26 weeks of each question up to today.
select
    question, scope, period, period_start, period_end, coefficient, scale, weights, estimate, low, high, n_items, reason,
    too_few
from agreement_trend
where
    period = coalesce($window, 'week') and scope = 'humans' and coefficient = 'krippendorff_alpha'
    and (batch_id is not null or coalesce(period_start <= now(), true)) and ($question is null or question = $question)
qualify row_number() over (partition by question, scale, weights order by period_start desc, batch_id desc) <= 26
order by question, period_start;

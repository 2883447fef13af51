-- The accuracy by week of the systems that have had more than one version, with both intervals: the last 26 weeks of
-- each question up to today.
select
    t.question, t.system, t.first_day, t.n_items, t.accuracy, t.low, t.high, t.outer_low, t.outer_high, t.confidence,
    t.too_few
from system_trend as t
semi join version_comparisons as v on t.question = v.question and t.system = v.system
where
    t.period = 'week' and t.period_start <= now()
    and ($question is null or t.question = $question)
    and ($system is null or t.system = $system)
qualify dense_rank() over (partition by t.question order by t.first_day desc) <= 26
order by t.question, t.system, t.first_day;

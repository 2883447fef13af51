-- One row per question, scope, period, coefficient, scale, weights and period or batch: agreement over time.
-- Each period as the last run saw it: late ratings change the past.
create or replace view agreement_trend as
with windows as (
    select a.*
    from agreement as a
    inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'agreement'
    where a.period_start is not null
)

select
    question, scope, period, period_start, period_end, batch_id, coefficient, scale, weights, estimate, se, low, high,
    -- rolling windows have most of their items in common, so that their differences say little
    case when period <> 'rolling' then estimate - lag(estimate) over (
        partition by question, scope, period, coefficient, scale, weights order by period_start, batch_id
    ) end as difference,
    n_items, n_raters, n_ratings, reason, run_id, too_few,
    (period_start at time zone timezone)::date as first_day,
    -- a batch ends with its last rating, all other windows before their end
    (
        case when period = 'batch' then period_end else period_end - interval 1 microsecond end at time zone timezone
    )::date as last_day
from windows cross join internal.project_time
order by question, scope, period, coefficient, scale, weights, period_start, batch_id;

comment on view agreement_trend is
    'One row per question, scope, period, coefficient, scale, weights and period or batch: agreement over time.';
comment on column agreement_trend.scope is 'Whose ratings: humans, all, label:X, subtree:X (of a taxonomy), slice:key=value.';
comment on column agreement_trend.period is 'What the period is: day, week, month, rolling (so many days up to each day), or batch.';
comment on column agreement_trend.period_start is 'Start of the period (UTC), inclusive.';
comment on column agreement_trend.period_end is 'End of the period (UTC), exclusive (of a batch its last rating).';
comment on column agreement_trend.estimate is 'The coefficient in this period.';
comment on column agreement_trend.difference is 'Estimate minus that of the period before; null for rolling windows.';
comment on column agreement_trend.run_id is 'The run that computed it.';
comment on column agreement_trend.too_few is
    'Whether the window has fewer items with two ratings than window_items in the settings. If so, do not rely on its figures.';
comment on column agreement_trend.first_day is 'First day of the period, in the project''s time zone.';
comment on column agreement_trend.last_day is 'Last day of the period, in the project''s time zone.';

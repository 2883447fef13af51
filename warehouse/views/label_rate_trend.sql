-- One row per question, window, system, label and method: the share of the items that has the label.
-- Each window as the last run saw it: late ratings change the past.
create or replace view label_rate_trend as
select
    w.question, w.period, w.period_start, w.period_end, w.batch_id,
    (w.period_start at time zone z.timezone)::date as first_day,
    -- a batch ends with its last rating, all other windows before their end
    (
        case when w.period = 'batch' then w.period_end else w.period_end - interval 1 microsecond end
        at time zone z.timezone
    )::date as last_day,
    w.system, w.label, w.method, w.estimate, w.low, w.high, w.outer_low, w.outer_high,
    -- rolling windows have most of their items in common, so that their differences say little
    case when w.period <> 'rolling' then w.estimate - lag(w.estimate) over (
        partition by w.question, w.period, w.system, w.label, w.method order by w.period_start, w.batch_id
    ) end as difference,
    w.n_items, w.n_gold, w.reason, w.detail, w.confidence, w.too_few, w.run_id
from label_rate_windows as w cross join internal.project_time as z
order by w.question, w.period, w.system, w.label, w.method, w.period_start, w.batch_id;

comment on view label_rate_trend is
    'One row per question, window, system, label and method: the share of the items that has the label.';
comment on column label_rate_trend.method is
    'With gold: rogan_gladen (from all gold items, as if the errors of the system were the same in all windows) and ppi (from the gold items of the window, if it has two). Without gold: model. raw is the share of the label among the system''s answers, right or wrong.';
comment on column label_rate_trend.low is
    'Lower end of the interval; of model the inner one, if people err independently.';
comment on column label_rate_trend.high is
    'Upper end of the interval; of model the inner one, if people err independently.';
comment on column label_rate_trend.outer_low is
    'Lower end of the outer interval of the method model, which allows for errors as large as those of accuracies on real data. Null for other methods.';
comment on column label_rate_trend.outer_high is 'Upper end of the outer interval, of model; else null.';
comment on column label_rate_trend.difference is 'Estimate minus that of the window before; null for rolling windows.';
comment on column label_rate_trend.n_items is 'Items of the window that the system answered and people rated. If no person rates the question: the items that the system answered.';

-- One row per question, window and label: how often people give it.
-- Each window as the last run saw it: late ratings change the past.
create or replace view label_trend as
select
    w.question, w.period, w.period_start, w.period_end, w.batch_id,
    (w.period_start at time zone z.timezone)::date as first_day,
    -- a batch ends with its last rating, all other windows before their end
    (
        case when w.period = 'batch' then w.period_end else w.period_end - interval 1 microsecond end
        at time zone z.timezone
    )::date as last_day,
    w.label, w.n_items, w.n_ratings, w.share, w.low, w.high,
    -- rolling windows have most of their items in common, so that their differences say little
    case when w.period <> 'rolling' then w.share - lag(w.share) over (
        partition by w.question, w.period, w.label order by w.period_start, w.batch_id
    ) end as difference,
    w.confidence, w.too_few, w.run_id
from label_windows as w cross join internal.project_time as z
order by w.question, w.period, w.label, w.period_start, w.batch_id;

comment on view label_trend is
    'One row per question, window and label: how often people give it.';
comment on column label_trend.share is 'Mean over the items of the share of their human ratings that have the label, 0 to 1.';
comment on column label_trend.difference is 'Share minus that of the window before; null for rolling windows.';
comment on column label_trend.too_few is
    'Whether the window has fewer items than window_items in the settings. If so, do not rely on its figures.';
comment on column label_trend.run_id is 'The run that computed it.';

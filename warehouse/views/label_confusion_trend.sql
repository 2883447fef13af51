-- One row per question, window and two labels that people confuse: how often.
-- Each window as the last run saw it: late ratings change the past.
create or replace view label_confusion_trend as
select
    w.question, w.period, w.period_start, w.period_end, w.batch_id,
    (w.period_start at time zone z.timezone)::date as first_day,
    -- a batch ends with its last rating, all other windows before their end
    (
        case when w.period = 'batch' then w.period_end else w.period_end - interval 1 microsecond end
        at time zone z.timezone
    )::date as last_day,
    w.label_a, w.label_b, w.n_items, w.n_pairs, w.share, w.low, w.high,
    -- rolling windows have most of their items in common, so that their differences say little
    case when w.period <> 'rolling' then w.share - lag(w.share) over (
        partition by w.question, w.period, w.label_a, w.label_b order by w.period_start, w.batch_id
    ) end as difference,
    w.confidence, w.too_few, w.run_id
from label_confusion_windows as w cross join internal.project_time as z
order by w.question, w.period, w.label_a, w.label_b, w.period_start, w.batch_id;

comment on view label_confusion_trend is
    'One row per question, window and two labels that people confuse: how often.';
comment on column label_confusion_trend.share is 'Their share among all pairs of human ratings of one item, 0 to 1.';
comment on column label_confusion_trend.difference is 'Share minus that of the window before; null for rolling windows.';
comment on column label_confusion_trend.too_few is
    'Whether the window has fewer items than window_items in the settings. If so, do not rely on its figures.';
comment on column label_confusion_trend.run_id is 'The run that computed it.';

-- One row per question, window, label or all, and coefficient: agreement on spans, boxes, rankings or texts over time.
-- Each window as the last run saw it: late work changes the past.
create or replace view region_trend as
select
    w.question, w.period, w.period_start, w.period_end, w.batch_id,
    (w.period_start at time zone z.timezone)::date as first_day,
    -- a batch ends with its last work, all other windows before their end
    (
        case when w.period = 'batch' then w.period_end else w.period_end - interval 1 microsecond end
        at time zone z.timezone
    )::date as last_day,
    w.label, w.coefficient, w.estimate, w.se, w.low, w.high,
    -- rolling windows have most of their items in common, so that their differences say little
    case when w.period <> 'rolling' then w.estimate - lag(w.estimate) over (
        partition by w.question, w.period, w.label, w.coefficient order by w.period_start, w.batch_id
    ) end as difference,
    w.confidence, w.interval_method, w.n_items, w.n_raters, w.n_regions, w.too_few, w.reason, w.detail, w.run_id
from region_windows as w cross join internal.project_time as z
order by w.question, w.period, w.label nulls first, w.coefficient, w.period_start, w.batch_id;

comment on view region_trend is
    'One row per question, window, label or all, and coefficient: agreement on spans, boxes, rankings or texts over time.';
comment on column region_trend.coefficient is
    'Of spans f1_exact, f1_partial, character_alpha, unitised_alpha; of boxes f1_iou50, f1_iou75, mean_iou; of rankings kendall_w, spearman, kendall_tau; of texts text_similarity, word_similarity, exact_match.';
comment on column region_trend.difference is 'Estimate minus that of the window before; null for rolling windows.';
comment on column region_trend.n_items is
    'Items of the window that two raters or more worked on; of spearman, kendall_tau and kendall_w those for which the figure is defined.';
comment on column region_trend.n_raters is 'Raters of these items; of spearman and kendall_tau those of the pairs for which it is defined.';
comment on column region_trend.n_regions is 'Spans or boxes in these items; 0 of rankings and texts.';

-- One row per question, window and rater: how far a person agrees with the others, and how often he or she is right.
-- Each window as the last run saw it: late ratings change the past.
create or replace view rater_trend as
select
    w.question, w.period, w.period_start, w.period_end, w.batch_id,
    (w.period_start at time zone z.timezone)::date as first_day,
    -- a batch ends with its last rating, all other windows before their end
    (
        case when w.period = 'batch' then w.period_end else w.period_end - interval 1 microsecond end
        at time zone z.timezone
    )::date as last_day,
    w.rater, w.n_items, w.n_shared, w.agreement_with_others, w.agreement_low, w.agreement_high,
    w.accuracy, w.se, w.low, w.high,
    -- rolling windows have most of their items in common, so that their differences say little
    case when w.period <> 'rolling' then w.accuracy - lag(w.accuracy) over (
        partition by w.question, w.period, w.rater order by w.period_start, w.batch_id
    ) end as difference,
    w.reason, w.detail, w.confidence, w.too_few, w.run_id
from rater_windows as w cross join internal.project_time as z
order by w.question, w.period, w.rater, w.period_start, w.batch_id;

comment on view rater_trend is
    'One row per question, window and rater: how far a person agrees with the others, and how often he or she is right.';
comment on column rater_trend.accuracy is
    'Probability that the rater is right: the figure of the last evaluation over all items (rater_leaderboard), moved up or down by how much better or worse the ratings fit those of the others in this window. The accuracies of the others are held fixed.';
comment on column rater_trend.difference is 'Accuracy minus that of the window before; null for rolling windows.';

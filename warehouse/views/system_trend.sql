-- One row per question, window and system: how far a system agrees with people, and how often it is right.
-- Each window as the last run saw it: late ratings change the past.
create or replace view system_trend as
-- On the logit scale: by how much the outer interval over all items has more variance than the inner one (in squares of
-- half widths, so that no quantile is needed). Audited accuracies have none.
with added as (
    select
        question, system, confidence,
        case
            when n_gold > 0 then 0
            when outer_low > 0 and outer_high < 1 and low > 0 and high < 1 then greatest(0,
                pow(ln(outer_high / (1 - outer_high)) - ln(outer_low / (1 - outer_low)), 2)
                - pow(ln(high / (1 - high)) - ln(low / (1 - low)), 2)
            ) / 4
        end as square
    from latest_system_accuracy
    where scope = 'all' and method = 'average'
),

spread as (
    select
        w.*, case when w.accuracy > 0 and w.accuracy < 1 then ln(w.accuracy / (1 - w.accuracy)) end as logit,
        case when a.square > 0 and w.low > 0 and w.high < 1 then sqrt(
            pow(ln(w.high / (1 - w.high)) - ln(w.low / (1 - w.low)), 2) / 4 + a.square
        ) end as half, a.square = 0 as is_inner
    from system_windows as w
    left join added as a on w.question = a.question and w.system = a.system and w.confidence = a.confidence
)

select
    w.question, w.period, w.period_start, w.period_end, w.batch_id,
    (w.period_start at time zone z.timezone)::date as first_day,
    -- a batch ends with its last rating, all other windows before their end
    ((w.period_end - case when w.period = 'batch' then interval 0 second else interval 1 microsecond end)
        at time zone z.timezone)::date as last_day,
    w.system, 'average' as method, w.n_items, w.n_shared, w.agreement_with_others, w.agreement_low, w.agreement_high,
    w.accuracy, w.se, w.low, w.high,
    -- rolling windows have most of their items in common, so that their differences say little
    case when w.period <> 'rolling' then w.accuracy - lag(w.accuracy) over (
        partition by w.question, w.period, w.system order by w.period_start, w.batch_id
    ) end as difference,
    w.reason, w.detail, w.confidence, w.too_few, w.run_id,
    case when w.is_inner then w.low when w.half is not null then least(w.low, 1 / (1 + exp(w.half - w.logit))) end as outer_low,
    case when w.is_inner then w.high when w.half is not null then greatest(w.high, 1 / (1 + exp(-w.half - w.logit))) end as outer_high
from spread as w cross join internal.project_time as z
order by w.question, w.period, w.system, w.period_start, w.batch_id;

comment on view system_trend is
    'One row per question, window and system: how far a system agrees with people, and how often it is right.';
comment on column system_trend.system is 'The system.';
comment on column system_trend.method is
    'The method of latest_system_accuracy at whose level the accuracy is. It uses gold where there is any.';
comment on column system_trend.n_items is 'Items of the window that the system answered and people rated.';
comment on column system_trend.accuracy is
    'Probability that the system is right: the figure of the last evaluation over all items, moved up or down by how much better or worse its answers fit those of the people in this window. The accuracies of the people are held fixed.';
comment on column system_trend.low is 'Lower end of the interval of the accuracy.';
comment on column system_trend.high is 'Upper end of the interval of the accuracy.';
comment on column system_trend.difference is 'Accuracy minus that of the window before; null for rolling windows.';
comment on column system_trend.reason is 'Code of the reason where the accuracy is null: not_identified also where the figure over all items and the answers of the window contradict each other (below 0, above 1).';
comment on column system_trend.confidence is 'Confidence of both intervals.';
comment on column system_trend.outer_low is
    'Lower end of the outer interval: if the accuracy errs as on real data. It has as much more variance than the inner one as that over all items; with gold it is the inner one. Null where either reaches 0 or 1.';
comment on column system_trend.outer_high is 'Upper end of the outer interval.';

-- One row per question, scope, period, coefficient, scale and weights: the last period of the last run.
-- Ordered so that the figures over all ratings come first.
create or replace view latest_agreement as
with found as (
    select a.*, r.started_at as evaluated_at
    from agreement as a
    inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'agreement'
),

limits as (
    select
        run_id, question, try_cast(settings as json) ->> '$[1].alert_coefficient' as coefficient,
        try_cast(try_cast(settings as json) ->> '$[0].alert_below' as double) as alert_below
    from runs
    where kind = 'evaluate'
),

last_period as (
    select *
    from found
    qualify row_number() over (
        partition by question, scope, period, coefficient, scale, weights
        order by
            evaluated_at desc, run_id desc, coalesce(period_start <= now(), false) desc, period_start desc nulls last
    ) = 1
)

select
    question, scope, period, period_start, period_end, batch_id, coefficient, scale, weights, estimate, se, low, high,
    confidence, interval_method, p_value, observed, expected, n_items, n_raters, n_ratings, n_labels, reason, detail,
    run_id, evaluated_at,
    case when period = 'all' and scope = 'humans' then l.alert_below end as alert_below
from last_period left join limits as l using (run_id, question, coefficient)
order by period <> 'all', question, scope <> 'humans', scope, period, coefficient, scale, weights;

comment on view latest_agreement is
    'One row per question, scope, period, coefficient, scale and weights: the last period of the last run, up to today.';
comment on column latest_agreement.scope is 'Whose ratings: humans, all, label:X, subtree:X (of a taxonomy), slice:key=value.';
comment on column latest_agreement.period_start is 'Start of the period (UTC), inclusive; null for all and last_n.';
comment on column latest_agreement.period_end is 'End of the period (UTC), exclusive (of a batch its last rating); null for all and last_n.';
comment on column latest_agreement.estimate is 'The coefficient; null where undefined, and then reason says why.';
comment on column latest_agreement.run_id is 'The run that computed it.';
comment on column latest_agreement.alert_below is
    'The limit of the setting alert_below, as of that run: an alert is open while the estimate is below it. Null where no limit holds for the figure.';

-- One row per question and system: its accuracy, its latest items, and whether it is drifting.
create or replace view system_scorecard as
with headlines as (
    select *
    from latest_system_accuracy
    where scope = 'all'
    qualify row_number() over (
        partition by question, system, system_version
        order by accuracy is null, list_position(
            ['average', 'lehner', 'one_coin', 'pooled_free', 'binless', 'attenuation'], method
        ) nulls last, method
    ) = 1
),

alarms as (
    select question, subject as system, count(*) as n_open_alerts, min(changed_on) as drifting_since
    from alerts
    where kind in ('system', 'version') and closed_at is null
    group by question, subject
),

charted as (
    select question, subject as system, max(day) as charted_until
    from charts
    where chart = 'system'
    group by question, subject
),

waiting as (
    select question, subject as system, any_value(reason) as reason
    from missing_charts
    where chart = 'system' and subject is not null
    group by question, subject
)

select
    headlines.question, headlines.system, headlines.system_version, headlines.n_items, headlines.n_gold,
    headlines.method, headlines.accuracy, headlines.low, headlines.high, headlines.outer_low, headlines.outer_high,
    headlines.confidence, headlines.reason, latest.n_shared as n_recent,
    latest.agreement_with_others as recent_agreement, latest.agreement_low as recent_agreement_low,
    latest.agreement_high as recent_agreement_high, latest.accuracy as recent_accuracy,
    latest.low as recent_low, latest.high as recent_high,
    case when latest.system is null then 'no_window' else latest.reason end as recent_reason,
    coalesce(alarms.n_open_alerts, 0) as n_open_alerts, alarms.drifting_since, charted.charted_until,
    case when charted.system is null then coalesce(waiting.reason, 'no_reference') end as chart_reason,
    headlines.run_id, headlines.evaluated_at,
    latest.outer_low as recent_outer_low, latest.outer_high as recent_outer_high
from headlines
left join system_trend as latest
    on headlines.question = latest.question and headlines.system = latest.system and latest.period = 'last_n'
left join alarms on headlines.question = alarms.question and headlines.system = alarms.system
left join charted on headlines.question = charted.question and headlines.system = charted.system
left join waiting on headlines.question = waiting.question and headlines.system = waiting.system
order by headlines.question, headlines.system, headlines.system_version;

comment on view system_scorecard is 'One row per question and system: its accuracy, its latest items, and whether it is drifting.';
comment on column system_scorecard.system is 'The system.';
comment on column system_scorecard.system_version is 'Its versions, where the export tells them.';
comment on column system_scorecard.n_items is 'Items that the system answered and people rated.';
comment on column system_scorecard.method is 'The method of the accuracy: average if it is defined.';
comment on column system_scorecard.accuracy is 'Estimated share of right answers on all items; with gold, audited.';
comment on column system_scorecard.low is 'Lower end of the inner interval: if people err independently.';
comment on column system_scorecard.outer_low is 'Lower end of the outer interval: if the estimate errs as on real data.';
comment on column system_scorecard.confidence is 'Confidence of the intervals, 0 to 1.';
comment on column system_scorecard.n_recent is 'Items rated last (last_items in the settings) that the system answered and people rated.';
comment on column system_scorecard.recent_agreement is 'On these: share of agreement with the ratings of people.';
comment on column system_scorecard.recent_agreement_low is 'Lower end of its interval.';
comment on column system_scorecard.recent_agreement_high is 'Upper end of its interval.';
comment on column system_scorecard.recent_accuracy is 'On these: the accuracy, as in system_trend.';
comment on column system_scorecard.recent_low is 'Lower end of its inner interval: if people err independently.';
comment on column system_scorecard.recent_high is 'Upper end of its inner interval.';
comment on column system_scorecard.recent_reason is 'Code of the reason where it is null; no_window: the last items are not followed.';
comment on column system_scorecard.n_open_alerts is 'Open alerts of the kinds system and version.';
comment on column system_scorecard.drifting_since is 'The earliest day of their changes.';
comment on column system_scorecard.charted_until is 'Last day of the chart of the system.';
comment on column system_scorecard.chart_reason is 'Code of the reason where there is no chart.';
comment on column system_scorecard.run_id is 'The run that computed the accuracy.';
comment on column system_scorecard.recent_outer_low is
    'Lower end of the outer interval of the accuracy on the latest items, which is as much wider as the one on all items.';
comment on column system_scorecard.recent_outer_high is 'Upper end of it.';

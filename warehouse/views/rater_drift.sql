-- One row per question and rater: the state of the charts and the open alerts, or why there is no chart.
create or replace view rater_drift as
with alarms as (
    select question, subject as rater, count(*) as n_open_alerts, min(changed_on) as drifting_since
    from alerts
    where kind in ('rater', 'rater_labels', 'rater_speed') and closed_at is null and subject is not null
    group by question, subject
),

charted as (
    select
        questions.question, sums.subject as rater, bool_and(sums.section = 'main') as is_main,
        max(sums.day) as charted_until
    from (from internal.chart_sums semi join internal.chart_points using (question_id, chart, subject)) as sums
    inner join internal.questions using (question_id)
    where sums.chart = 'rater'
    group by questions.question, sums.subject
),

waiting as (
    select question, subject as rater, any_value(reason) as reason, any_value(detail) as detail
    from missing_charts
    where chart = 'rater' and subject is not null
    group by question, subject
)

select
    question, rater, coalesce(alarms.n_open_alerts, 0) as n_open_alerts, alarms.drifting_since,
    case
        when charted.is_main then 'reference_of_question'
        when charted.is_main is not null then 'own_reference'
        else 'compared_with_others'
    end as chart_state,
    charted.charted_until,
    case when charted.is_main is null then coalesce(waiting.reason, 'no_reference') end as chart_reason,
    case when charted.is_main is null then waiting.detail end as chart_detail
from charted
full join waiting using (question, rater)
full join alarms using (question, rater)
order by question, rater;

comment on view rater_drift is
    'One row per question and rater: the state of the charts and the open alerts, or why there is no chart.';
comment on column rater_drift.rater is 'The rater.';
comment on column rater_drift.n_open_alerts is 'Open alerts of the charts of the rater.';
comment on column rater_drift.drifting_since is 'The earliest day of their changes.';
comment on column rater_drift.chart_state is
    'What the charts of the rater are compared with: reference_of_question; own_reference (the first items of the rater, of whom the reference of the question has too few); compared_with_others (no reference yet).';
comment on column rater_drift.charted_until is 'Last day of the chart of agreement.';
comment on column rater_drift.chart_reason is 'Code of the reason where there is no chart.';
comment on column rater_drift.chart_detail is 'The reason in a sentence, where it concerns this rater alone.';

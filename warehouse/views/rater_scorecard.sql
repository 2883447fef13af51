-- One row per question and human rater: the figures of the last run, and what the stored ratings and charts say today.
create or replace view rater_scorecard as
with counted as (
    select d.question_id, d.rater_id, d.duration_s, sum(d.n_ratings) as n
    from internal.duration_counts as d
    group by d.question_id, d.rater_id, d.duration_s
),

pace as (
    select question_id, rater_id, duration_s, n, sum(n) over (partition by question_id, rater_id order by duration_s) as upto,
        sum(n) over (partition by question_id, rater_id) as n_all
    from counted
),

medians as (
    select question_id, rater_id, min(duration_s) filter (where 2 * upto >= n_all) as median_s, any_value(n_all) as n_timed
    from pace
    group by question_id, rater_id
),

speed as (
    select
        m.question_id, m.rater_id, m.median_s, m.n_timed,
        (
            select median(o.median_s) from medians as o
            where o.question_id = m.question_id and o.rater_id <> m.rater_id
        ) as others_median_s
    from medians as m
),

edits as (
    select question_id, rater_id, count(*) as n_edits
    from internal.ratings
    where superseded_at is not null and deleted_at is null and restores is null
    group by question_id, rater_id
),

alike as (
    select question, name_of as rater, bool_or(coalesce(violated, false)) as is_alike,
        string_agg(distinct partner, ', ' order by partner) filter (where violated) as alike_to
    from (
        select question, violated, rater as name_of, other as partner
        from latest_assumption_checks
        where name = 'alike' and rater is not null
        union all
        select question, violated, other, rater
        from latest_assumption_checks
        where name = 'alike' and other is not null
    )
    group by question, name_of
),

drift as (
    select question, subject as rater, count(*) as n_open_alerts, min(changed_on) as drifting_since
    from alerts
    where kind in ('rater', 'rater_labels', 'rater_speed') and closed_at is null
    group by question, subject
),

charted as (
    select
        q.question, s.subject as rater,
        bool_and(s.section = 'main') as is_main,
        max(s.day) as charted_until
    from (from internal.chart_sums semi join internal.chart_points using (question_id, chart, subject)) as s
    inner join internal.questions as q using (question_id)
    where s.chart = 'rater'
    group by q.question, s.subject
),

waiting as (
    select question, subject as rater, any_value(reason) as reason
    from missing_charts
    where chart = 'rater' and subject is not null
    group by question, subject
)

select
    c.question, c.rater, c.n_ratings, c.n_items, c.confidence,
    c.agreement, c.agreement_low, c.agreement_high, c.agreement_reason,
    c.accuracy, c.accuracy_low, c.accuracy_high, c.accuracy_reason,
    c.n_gold, c.gold_accuracy, c.gold_low, c.gold_high, c.gold_reason,
    c.severity, c.severity_low, c.severity_high, c.severity_reason,
    s.median_s, s.others_median_s, coalesce(s.n_timed, 0)::bigint as n_timed,
    case when s.median_s is null then 'no_durations' end as speed_reason,
    coalesce(e.n_edits, 0) as n_edits,
    null::bigint as n_skipped, 'not_kept_by_rater' as skipped_reason,
    a.is_alike, a.alike_to,
    case when a.is_alike is null then 'not_checked' end as alike_reason,
    coalesce(d.n_open_alerts, 0) as n_open_alerts, d.drifting_since,
    case
        when h.is_main then 'reference_of_question'
        when h.rater is not null then 'own_reference'
        else 'compared_with_others'
    end as chart_state,
    h.charted_until,
    case when h.rater is null then coalesce(w.reason, 'no_reference') end as chart_reason,
    c.run_id, r.started_at as evaluated_at
from rater_scorecards as c
inner join latest_runs as r on c.run_id = r.run_id and c.question = r.question and r.results = 'rater_scorecards'
inner join internal.questions as q on c.question = q.question
left join internal.raters as t on c.rater = t.rater
left join speed as s on q.question_id = s.question_id and t.rater_id = s.rater_id
left join edits as e on q.question_id = e.question_id and t.rater_id = e.rater_id
left join alike as a on c.question = a.question and c.rater = a.rater
left join drift as d on c.question = d.question and c.rater = d.rater
left join charted as h on c.question = h.question and c.rater = h.rater
left join waiting as w on c.question = w.question and c.rater = w.rater
where r.kind = 'evaluate'
order by c.question, c.rater;

comment on view rater_scorecard is
    'One row per question and human rater: how far others agree, how accurate, how severe, how fast, and whether drifting.';
comment on column rater_scorecard.question is 'The question.';
comment on column rater_scorecard.rater is 'The rater, a person.';
comment on column rater_scorecard.n_ratings is 'Ratings of the rater that count.';
comment on column rater_scorecard.n_items is 'Items that another person rated too.';
comment on column rater_scorecard.confidence is 'Of the intervals.';
comment on column rater_scorecard.agreement is 'Share of the pairs of this rater and another rater of the same item that agree.';
comment on column rater_scorecard.agreement_low is 'Lower end of the interval.';
comment on column rater_scorecard.agreement_high is 'Upper end of the interval.';
comment on column rater_scorecard.agreement_reason is 'Code of the reason where it is null.';
comment on column rater_scorecard.accuracy is 'Estimated share of right labels, from the ratings of the people alone.';
comment on column rater_scorecard.accuracy_low is 'Lower end of the interval.';
comment on column rater_scorecard.accuracy_high is 'Upper end of the interval.';
comment on column rater_scorecard.accuracy_reason is 'Code of the reason where it is null.';
comment on column rater_scorecard.n_gold is 'Gold items that the rater rated.';
comment on column rater_scorecard.gold_accuracy is 'Share of right labels on the gold items.';
comment on column rater_scorecard.gold_low is 'Lower end of the interval (Wilson).';
comment on column rater_scorecard.gold_high is 'Upper end of the interval.';
comment on column rater_scorecard.gold_reason is 'Code of the reason where it is null.';
comment on column rater_scorecard.severity is 'On an ordered scale, in logits: above 0 gives lower labels than the average of the raters.';
comment on column rater_scorecard.severity_low is 'Lower end of the interval.';
comment on column rater_scorecard.severity_high is 'Upper end of the interval.';
comment on column rater_scorecard.severity_reason is 'Code of the reason where it is null.';
comment on column rater_scorecard.median_s is 'Median of the seconds that the rater took, of current ratings (three significant digits).';
comment on column rater_scorecard.others_median_s is 'Median of the medians of the other people.';
comment on column rater_scorecard.n_timed is 'Ratings with a duration.';
comment on column rater_scorecard.speed_reason is 'no_durations where the median is null.';
comment on column rater_scorecard.n_edits is 'Ratings of the rater that a later version replaced.';
comment on column rater_scorecard.n_skipped is 'Null: exports tell skipped rows, but kappaflow counts them by file only (batches.n_skipped).';
comment on column rater_scorecard.skipped_reason is 'Code of the reason.';
comment on column rater_scorecard.is_alike is 'Whether the screen for copying found the ratings of the rater too close to those of another one.';
comment on column rater_scorecard.alike_to is 'These others.';
comment on column rater_scorecard.alike_reason is 'not_checked where the screen was not computed for the rater.';
comment on column rater_scorecard.n_open_alerts is 'Open alerts of the charts of the rater.';
comment on column rater_scorecard.drifting_since is 'The earliest day of their changes.';
comment on column rater_scorecard.chart_state is 'What the charts of the rater are compared with: reference_of_question; own_reference (joined later); compared_with_others (no reference yet).';
comment on column rater_scorecard.charted_until is 'Last day of the chart of agreement.';
comment on column rater_scorecard.chart_reason is 'Code of the reason where there is no chart.';
comment on column rater_scorecard.run_id is 'The run that computed it.';
comment on column rater_scorecard.evaluated_at is 'When that run began (UTC).';

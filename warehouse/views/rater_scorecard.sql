-- One row per question and human rater: the figures of the last run, and what the stored ratings and charts say today.
create or replace view rater_scorecard as
select
    c.* exclude (run_id), w.median_s, w.others_median_s, coalesce(w.n_timed, 0) as n_timed,
    case when w.median_s is null then 'no_durations' end as speed_reason, coalesce(w.n_edits, 0) as n_edits,
    null::bigint as n_skipped, 'not_kept_by_rater' as skipped_reason, s.is_alike, s.alike_to,
    case when s.is_alike is null then 'not_checked' end as alike_reason,
    coalesce(d.n_open_alerts, 0) as n_open_alerts, d.drifting_since,
    coalesce(d.chart_state, 'compared_with_others') as chart_state, d.charted_until,
    case when d.chart_state is null then 'no_reference' else d.chart_reason end as chart_reason,
    c.run_id, r.started_at as evaluated_at
from rater_scorecards as c
inner join latest_runs as r on c.run_id = r.run_id and c.question = r.question and r.results = 'rater_scorecards'
left join rater_work as w on c.question = w.question and c.rater = w.rater
left join rater_screens as s on c.question = s.question and c.rater = s.rater
left join rater_drift as d on c.question = d.question and c.rater = d.rater
where r.kind = 'evaluate'
order by c.question, c.rater;

comment on view rater_scorecard is
    'One row per question and human rater: how far others agree, how accurate, how severe, how fast, and whether drifting.';
comment on column rater_scorecard.rater is 'The rater, a person.';
comment on column rater_scorecard.n_ratings is 'Ratings of the rater that count.';
comment on column rater_scorecard.n_items is 'Items that another person rated too.';
comment on column rater_scorecard.confidence is 'Confidence of the intervals, 0 to 1.';
comment on column rater_scorecard.agreement is
    'Share of the pairs of this rater and another rater of the same item that agree.';
comment on column rater_scorecard.agreement_low is 'Lower end of the interval.';
comment on column rater_scorecard.agreement_high is 'Upper end of the interval.';
comment on column rater_scorecard.agreement_reason is 'Code of the reason where the agreement is null.';
comment on column rater_scorecard.accuracy is 'Estimated share of right labels, from the ratings of the people alone.';
comment on column rater_scorecard.accuracy_low is 'Lower end of the interval.';
comment on column rater_scorecard.accuracy_high is 'Upper end of the interval.';
comment on column rater_scorecard.accuracy_reason is 'Code of the reason where the accuracy is null.';
comment on column rater_scorecard.n_gold is 'Gold items that the rater rated.';
comment on column rater_scorecard.gold_accuracy is 'Share of right labels on the gold items.';
comment on column rater_scorecard.gold_low is 'Lower end of the interval (Wilson).';
comment on column rater_scorecard.gold_high is 'Upper end of the interval.';
comment on column rater_scorecard.gold_reason is 'Code of the reason where the gold accuracy is null.';
comment on column rater_scorecard.severity is
    'On an ordered scale, in logits: above 0 gives lower labels than the average of the raters.';
comment on column rater_scorecard.severity_low is 'Lower end of the interval.';
comment on column rater_scorecard.severity_high is 'Upper end of the interval.';
comment on column rater_scorecard.severity_reason is 'Code of the reason where the severity is null.';
comment on column rater_scorecard.median_s is
    'Median of the seconds that the rater took, of current ratings (three significant digits).';
comment on column rater_scorecard.others_median_s is 'Median of the medians of the other people.';
comment on column rater_scorecard.n_timed is 'Ratings with a duration.';
comment on column rater_scorecard.speed_reason is 'no_durations where the median is null.';
comment on column rater_scorecard.n_edits is 'Ratings of the rater that a later version replaced.';
comment on column rater_scorecard.n_skipped is
    'Null: exports tell skipped rows, but kappaflow counts them by file only (batches.n_skipped).';
comment on column rater_scorecard.skipped_reason is 'Code of the reason.';
comment on column rater_scorecard.is_alike is
    'Whether the screen for copying found the ratings of the rater too close to those of another rater.';
comment on column rater_scorecard.alike_to is 'These others.';
comment on column rater_scorecard.alike_reason is 'not_checked where the screen was not computed for the rater.';
comment on column rater_scorecard.n_open_alerts is 'Open alerts of the charts of the rater.';
comment on column rater_scorecard.drifting_since is 'The earliest day of their changes.';
comment on column rater_scorecard.chart_state is
    'What the charts of the rater are compared with: reference_of_question; own_reference (joined later); compared_with_others (no reference yet).';
comment on column rater_scorecard.charted_until is 'Last day of the chart of agreement.';
comment on column rater_scorecard.chart_reason is 'Code of the reason where there is no chart.';

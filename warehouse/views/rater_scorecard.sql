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
comment on column rater_scorecard.speed_reason is 'no_durations where the median is null.';
comment on column rater_scorecard.n_skipped is
    'Null: exports tell skipped rows, but kappaflow counts them by file only (batches.n_skipped).';
comment on column rater_scorecard.skipped_reason is 'Code of the reason.';
comment on column rater_scorecard.alike_reason is 'not_checked where the screen was not computed for the rater.';

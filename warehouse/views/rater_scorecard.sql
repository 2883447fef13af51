-- One row per question and human rater: the figures of the last run, and what the stored ratings and charts say today.
create or replace view rater_scorecard as
select
    cards.* exclude (run_id), pace.median_s, pace.others_median_s, coalesce(pace.n_timed, 0) as n_timed,
    case when pace.median_s is null then 'no_durations' end as speed_reason,
    case when datasets.question_id is null then coalesce(pace.n_edits, 0) end as n_edits,
    null::bigint as n_skipped, 'not_kept_by_rater' as skipped_reason, screens.is_alike, screens.alike_to,
    case when screens.is_alike is null then 'not_checked' end as alike_reason,
    coalesce(drift.n_open_alerts, 0) as n_open_alerts, drift.drifting_since,
    coalesce(drift.chart_state, 'compared_with_others') as chart_state, drift.charted_until,
    case when drift.chart_state is null then 'no_reference' else drift.chart_reason end as chart_reason,
    drift.chart_detail,
    cards.run_id, last_run.started_at as evaluated_at
from rater_scorecards as cards
inner join latest_runs as last_run
    on cards.run_id = last_run.run_id and cards.question = last_run.question and last_run.results = 'rater_scorecards'
left join rater_work as pace on cards.question = pace.question and cards.rater = pace.rater
left join rater_screens as screens on cards.question = screens.question and cards.rater = screens.rater
left join rater_drift as drift on cards.question = drift.question and cards.rater = drift.rater
left join internal.questions as asked on cards.question = asked.question
left join internal.dataset_questions as datasets on asked.question_id = datasets.question_id
where last_run.kind = 'evaluate'
order by cards.question, cards.rater;

comment on view rater_scorecard is
    'One row per question and human rater: how far others agree, how accurate, how severe, how fast, and whether drifting.';
comment on column rater_scorecard.speed_reason is 'no_durations where the median is null.';
comment on column rater_scorecard.n_skipped is
    'Null: exports tell skipped rows, but kappaflow counts them by file only (batches.n_skipped).';
comment on column rater_scorecard.skipped_reason is 'Code of the reason.';
comment on column rater_scorecard.alike_reason is 'not_checked where the screen was not computed for the rater.';
comment on column rater_scorecard.n_timed is 'Ratings with a duration.';
comment on column rater_scorecard.n_edits is
    'Ratings of the rater that a later version replaced. Null for a dataset, of which no versions are stored.';
comment on column rater_scorecard.n_open_alerts is 'Open alerts of the charts of the rater.';
comment on column rater_scorecard.chart_state is
    'What the charts of the rater are compared with: reference_of_question; own_reference (the first items of the rater, of whom the reference of the question has too few); compared_with_others (no reference yet).';
comment on column rater_scorecard.chart_reason is 'Code of the reason where there is no chart.';
comment on column rater_scorecard.chart_detail is 'The reason in a sentence, where it concerns this rater alone.';

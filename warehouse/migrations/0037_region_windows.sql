-- When spans and boxes were marked, and the agreement on them in windows of time, batches and the last items.
alter table internal.region_work add column rated_at timestamptz;
comment on column internal.region_work.rated_at is 'When the rater did it (UTC); null where the file does not say.';

create table region_windows (
    run_id varchar not null,
    question varchar not null,
    period varchar not null,
    period_start timestamptz,
    period_end timestamptz,
    batch_id varchar,
    label varchar,
    coefficient varchar not null,
    estimate double,
    se double,
    low double,
    high double,
    confidence double not null,
    interval_method varchar not null,
    n_items bigint not null,
    n_raters bigint not null,
    n_regions bigint not null,
    too_few boolean not null,
    reason varchar,
    detail varchar
);
comment on table region_windows is
    'One row per question, window, label or all, and coefficient: agreement on spans or boxes. The last run of a question replaces its rows.';
comment on column region_windows.run_id is 'The run that computed it.';
comment on column region_windows.question is 'The question.';
comment on column region_windows.period is 'What the window is: day, week, month, rolling, batch, last_n.';
comment on column region_windows.period_start is 'Start of the window (UTC), inclusive; null for last_n.';
comment on column region_windows.period_end is
    'End of the window (UTC), exclusive (of a batch its last work); null for last_n.';
comment on column region_windows.batch_id is 'The batch, where period is batch; else null.';
comment on column region_windows.label is 'The label of the regions that are compared; null for all labels.';
comment on column region_windows.coefficient is
    'Of spans f1_exact, f1_partial, character_alpha, unitised_alpha; of boxes f1_iou50, f1_iou75, mean_iou.';
comment on column region_windows.estimate is 'The figure; null with a reason.';
comment on column region_windows.se is 'Standard error (jackknife over items).';
comment on column region_windows.low is 'Lower end of the interval.';
comment on column region_windows.high is 'Upper end of the interval.';
comment on column region_windows.confidence is 'Confidence of the interval, 0 to 1.';
comment on column region_windows.interval_method is 'How the interval was computed: jackknife.';
comment on column region_windows.n_items is 'Items of the window that two raters or more did.';
comment on column region_windows.n_raters is 'Raters of these items.';
comment on column region_windows.n_regions is 'Spans or boxes in these items.';
comment on column region_windows.too_few is
    'Whether the window has fewer such items than window_items in the settings: do not read it as a fact.';
comment on column region_windows.reason is 'Code of the reason where the figure, or its interval, is null.';
comment on column region_windows.detail is 'The reason in a sentence.';

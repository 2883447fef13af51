-- What the stored windows were computed from, so that windows that did not change are not computed again. Empty at first:
-- the next run of each question computes all its windows.
create table internal.window_digests (
    question varchar not null,
    results varchar not null,
    period varchar not null,
    period_start timestamptz,
    period_end timestamptz,
    batch_id varchar,
    digest varchar not null,
    run_id varchar not null
);
comment on table internal.window_digests is
    'Private. One row per question, kind of results and window that the last run of the question stored.';
comment on column internal.window_digests.question is 'The question.';
comment on column internal.window_digests.results is 'Kind of results: agreement, labels.';
comment on column internal.window_digests.period is 'What the window is: day, week, month, rolling, batch, last_n.';
comment on column internal.window_digests.period_start is 'Start of the window (UTC), inclusive; null for last_n.';
comment on column internal.window_digests.period_end is 'End of the window (UTC), exclusive; null for last_n.';
comment on column internal.window_digests.batch_id is 'The batch, where period is batch; else null.';
comment on column internal.window_digests.digest is
    'Hash of the human ratings of its items, the labels, the settings and the version of the program.';
comment on column internal.window_digests.run_id is 'The run whose rows the window has now.';

comment on column agreement.run_id is
    'The run that computed it; of a window that did not change: each run since then.';
comment on column label_windows.run_id is 'The last run, which computed it or found it unchanged.';
comment on column label_confusion_windows.run_id is 'The last run, which computed it or found it unchanged.';

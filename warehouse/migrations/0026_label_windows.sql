-- Windows that are too small are marked. Shares of labels, and of confused labels, in windows.
alter table agreement add column too_few boolean;
comment on column agreement.too_few is
    'Whether the window has fewer items with two ratings than window_items in the settings. Null for period all.';
comment on column agreement.period is 'Which ratings: all, day, week, month, rolling, batch, last_n.';

create table label_windows (
    run_id varchar not null,
    question varchar not null,
    period varchar not null,
    period_start timestamptz,
    period_end timestamptz,
    batch_id varchar,
    label varchar not null,
    n_items bigint not null,
    n_ratings bigint not null,
    share double not null,
    low double not null,
    high double not null,
    confidence double not null,
    too_few boolean not null
);
comment on table label_windows is
    'One row per question, window and label, as the last run computed them: how often people give the label.';
comment on column label_windows.run_id is 'The run that computed it.';
comment on column label_windows.question is 'The question.';
comment on column label_windows.period is 'What the window is: day, week, month, rolling, batch, last_n.';
comment on column label_windows.period_start is 'Start of the window (UTC), inclusive; null for last_n.';
comment on column label_windows.period_end is 'End of the window (UTC), exclusive (of a batch its last rating); null for last_n.';
comment on column label_windows.batch_id is 'The batch, where period is batch; else null.';
comment on column label_windows.label is 'The label.';
comment on column label_windows.n_items is 'Items of the window with a human rating.';
comment on column label_windows.n_ratings is 'Human ratings of these items with this label.';
comment on column label_windows.share is 'Mean over the items of the share of their human ratings that have the label.';
comment on column label_windows.low is 'Lower end of its interval, over items like these.';
comment on column label_windows.high is 'Upper end of its interval.';
comment on column label_windows.confidence is 'Confidence of the interval.';
comment on column label_windows.too_few is 'Whether the window has fewer items than window_items in the settings.';

create table label_confusion_windows (
    run_id varchar not null,
    question varchar not null,
    period varchar not null,
    period_start timestamptz,
    period_end timestamptz,
    batch_id varchar,
    label_a varchar not null,
    label_b varchar not null,
    n_items bigint not null,
    n_pairs bigint not null,
    share double not null,
    low double not null,
    high double not null,
    confidence double not null,
    too_few boolean not null
);
comment on table label_confusion_windows is
    'One row per question, window and two labels that people confuse, as the last run computed them.';
comment on column label_confusion_windows.run_id is 'The run that computed it.';
comment on column label_confusion_windows.question is 'The question.';
comment on column label_confusion_windows.period is 'What the window is: day, week, month, rolling, batch, last_n.';
comment on column label_confusion_windows.period_start is 'Start of the window (UTC), inclusive; null for last_n.';
comment on column label_confusion_windows.period_end is
    'End of the window (UTC), exclusive (of a batch its last rating); null for last_n.';
comment on column label_confusion_windows.batch_id is 'The batch, where period is batch; else null.';
comment on column label_confusion_windows.label_a is 'One label.';
comment on column label_confusion_windows.label_b is 'The other, after it in the order of the labels.';
comment on column label_confusion_windows.n_items is 'Items of the window with two human ratings or more.';
comment on column label_confusion_windows.n_pairs is
    'Pairs of human ratings of one item of which one says label_a and the other label_b.';
comment on column label_confusion_windows.share is 'Their share among all pairs of human ratings of one item.';
comment on column label_confusion_windows.low is 'Lower end of its interval, over items like these.';
comment on column label_confusion_windows.high is 'Upper end of its interval.';
comment on column label_confusion_windows.confidence is 'Confidence of the interval.';
comment on column label_confusion_windows.too_few is 'Whether the window has fewer items than window_items in the settings.';

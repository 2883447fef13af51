-- Agreement and accuracy of raters and systems in windows.
create table rater_windows (
    run_id varchar not null,
    question varchar not null,
    period varchar not null,
    period_start timestamptz,
    period_end timestamptz,
    batch_id varchar,
    rater varchar not null,
    n_items bigint not null,
    n_shared bigint not null,
    agreement_with_others double,
    agreement_low double,
    agreement_high double,
    accuracy double,
    se double,
    low double,
    high double,
    reason varchar,
    detail varchar,
    confidence double not null,
    too_few boolean not null
);
comment on table rater_windows is
    'One row per question, window and rater, as the last run computed them: agreement with people, and accuracy.';
comment on column rater_windows.run_id is 'The run that computed it.';
comment on column rater_windows.question is 'The question.';
comment on column rater_windows.period is 'What the window is: day, week, month, rolling, batch, last_n.';
comment on column rater_windows.period_start is 'Start of the window (UTC), inclusive; null for last_n.';
comment on column rater_windows.period_end is
    'End of the window (UTC), exclusive (of a batch its last rating); null for last_n.';
comment on column rater_windows.batch_id is 'The batch, where period is batch; else null.';
comment on column rater_windows.rater is 'The rater, a person.';
comment on column rater_windows.n_items is 'Items of the window that the rater answered.';
comment on column rater_windows.n_shared is 'Those that other people rated.';
comment on column rater_windows.agreement_with_others is
    'Share of agreement with the ratings of other people; null without such ratings.';
comment on column rater_windows.agreement_low is 'Lower end of its interval.';
comment on column rater_windows.agreement_high is 'Upper end of its interval.';
comment on column rater_windows.accuracy is
    'Probability that the rater is right, with the accuracies of the people held fixed over all windows.';
comment on column rater_windows.se is 'Its standard error.';
comment on column rater_windows.low is 'Lower end of the interval of the accuracy.';
comment on column rater_windows.high is 'Upper end of the interval of the accuracy.';
comment on column rater_windows.reason is 'Code of the reason where the accuracy is null.';
comment on column rater_windows.detail is 'The reason in a sentence.';
comment on column rater_windows.confidence is 'Confidence of both intervals.';
comment on column rater_windows.too_few is
    'Whether the rater has fewer items in the window than window_items in the settings: do not read it as a fact.';

create table system_windows (
    run_id varchar not null,
    question varchar not null,
    period varchar not null,
    period_start timestamptz,
    period_end timestamptz,
    batch_id varchar,
    system varchar not null,
    n_items bigint not null,
    n_shared bigint not null,
    agreement_with_others double,
    agreement_low double,
    agreement_high double,
    accuracy double,
    se double,
    low double,
    high double,
    reason varchar,
    detail varchar,
    confidence double not null,
    too_few boolean not null
);
comment on table system_windows is
    'One row per question, window and system, as the last run computed them: agreement with people, and accuracy.';
comment on column system_windows.run_id is 'The run that computed it.';
comment on column system_windows.question is 'The question.';
comment on column system_windows.period is 'What the window is: day, week, month, rolling, batch, last_n.';
comment on column system_windows.period_start is 'Start of the window (UTC), inclusive; null for last_n.';
comment on column system_windows.period_end is
    'End of the window (UTC), exclusive (of a batch its last rating); null for last_n.';
comment on column system_windows.batch_id is 'The batch, where period is batch; else null.';
comment on column system_windows.system is 'The system.';
comment on column system_windows.n_items is 'Items of the window that the system answered and people rated.';
comment on column system_windows.n_shared is 'Those that people rated.';
comment on column system_windows.agreement_with_others is
    'Share of agreement with the ratings of people; null without such ratings.';
comment on column system_windows.agreement_low is 'Lower end of its interval.';
comment on column system_windows.agreement_high is 'Upper end of its interval.';
comment on column system_windows.accuracy is
    'Probability that the system is right, with the accuracies of the people held fixed over all windows.';
comment on column system_windows.se is 'Its standard error.';
comment on column system_windows.low is 'Lower end of the interval of the accuracy.';
comment on column system_windows.high is 'Upper end of the interval of the accuracy.';
comment on column system_windows.reason is 'Code of the reason where the accuracy is null.';
comment on column system_windows.detail is 'The reason in a sentence.';
comment on column system_windows.confidence is 'Confidence of both intervals.';
comment on column system_windows.too_few is
    'Whether the system has fewer items in the window than window_items in the settings: do not read it as a fact.';

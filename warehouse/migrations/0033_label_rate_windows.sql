-- Label rates in windows, and the outer interval of those by the raters.
alter table label_rates add column outer_low double;
alter table label_rates add column outer_high double;
comment on column label_rates.low is 'Lower end of the interval; of model the inner one, if people err independently.';
comment on column label_rates.high is 'Upper end of the interval; of model the inner one, if people err independently.';
comment on column label_rates.outer_low is
    'Lower end of the outer interval, of model: if the estimate errs as accuracies did on real data. Else null.';
comment on column label_rates.outer_high is 'Upper end of the outer interval, of model; else null.';

create table label_rate_windows (
    run_id varchar not null,
    question varchar not null,
    period varchar not null,
    period_start timestamptz,
    period_end timestamptz,
    batch_id varchar,
    system varchar not null,
    label varchar not null,
    method varchar not null,
    estimate double,
    low double,
    high double,
    outer_low double,
    outer_high double,
    n_items bigint not null,
    n_gold bigint not null,
    reason varchar,
    detail varchar,
    confidence double not null,
    too_few boolean not null
);
comment on table label_rate_windows is
    'One row per question, window, system, label and method, as the last run computed them: the share of the items that has the label.';
comment on column label_rate_windows.run_id is 'The run that computed it.';
comment on column label_rate_windows.question is 'The question.';
comment on column label_rate_windows.period is 'What the window is: day, week, month, rolling, batch, last_n.';
comment on column label_rate_windows.period_start is 'Start of the window (UTC), inclusive; null for last_n.';
comment on column label_rate_windows.period_end is
    'End of the window (UTC), exclusive (of a batch its last rating); null for last_n.';
comment on column label_rate_windows.batch_id is 'The batch, where period is batch; else null.';
comment on column label_rate_windows.system is 'The system.';
comment on column label_rate_windows.label is 'The label.';
comment on column label_rate_windows.method is
    'With gold rogan_gladen (by all gold items) and ppi (by those of the window, where it has two); without gold model; raw is what the system says, right or wrong.';
comment on column label_rate_windows.estimate is 'Share of the items that have the label.';
comment on column label_rate_windows.low is 'Lower end of the interval; of model the inner one.';
comment on column label_rate_windows.high is 'Upper end of the interval; of model the inner one.';
comment on column label_rate_windows.outer_low is 'Lower end of the outer interval, of model; else null.';
comment on column label_rate_windows.outer_high is 'Upper end of the outer interval, of model; else null.';
comment on column label_rate_windows.n_items is 'Items of the window that the system answered and people rated.';
comment on column label_rate_windows.n_gold is 'Gold items behind the estimate.';
comment on column label_rate_windows.reason is 'Code of the reason where the estimate is null.';
comment on column label_rate_windows.detail is 'The reason in a sentence.';
comment on column label_rate_windows.confidence is 'Confidence of the intervals.';
comment on column label_rate_windows.too_few is
    'Whether the window has fewer items than window_items in the settings: do not read it as a fact.';

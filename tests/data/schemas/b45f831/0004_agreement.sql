-- How far the raters agree, in long form: a new coefficient is no migration.
create table agreement (
    run_id varchar not null,
    question varchar not null,
    scope varchar not null,
    period varchar not null,
    period_start timestamptz,
    period_end timestamptz,
    batch_id varchar,
    coefficient varchar not null,
    scale varchar,
    weights varchar,
    interval_method varchar,
    confidence double,
    estimate double,
    se double,
    low double,
    high double,
    p_value double,
    observed double,
    expected double,
    n_items bigint,
    n_raters bigint,
    n_ratings bigint,
    n_labels bigint,
    reason varchar,
    detail varchar
);
comment on table agreement is
    'One row per run, question, scope, period and coefficient. A figure that is undefined is null and has a reason.';
comment on column agreement.run_id is 'The run that computed it.';
comment on column agreement.question is 'The question.';
comment on column agreement.scope is 'Whose ratings: humans, all, label:X, slice:key=value.';
comment on column agreement.period is 'Which ratings: all, day, week, month, batch, last_n.';
comment on column agreement.period_start is 'Start of the period (UTC), inclusive; null for all.';
comment on column agreement.period_end is 'End of the period (UTC), exclusive; null for all.';
comment on column agreement.batch_id is 'The batch, where period is batch; else null.';
comment on column agreement.coefficient is 'Name of the coefficient.';
comment on column agreement.scale is 'Scale of the labels: nominal, ordinal, interval, ratio.';
comment on column agreement.weights is 'Weights of disagreement between labels.';
comment on column agreement.interval_method is 'How the interval was made.';
comment on column agreement.confidence is 'Confidence of the interval, 0 to 1.';
comment on column agreement.estimate is 'The coefficient.';
comment on column agreement.se is 'Its standard error.';
comment on column agreement.low is 'Lower end of the interval.';
comment on column agreement.high is 'Upper end of the interval.';
comment on column agreement.p_value is 'Probability of so high a figure if there were no agreement beyond chance.';
comment on column agreement.observed is 'Observed agreement.';
comment on column agreement.expected is 'Agreement expected by chance.';
comment on column agreement.n_items is 'Items that count.';
comment on column agreement.n_raters is 'Raters.';
comment on column agreement.n_ratings is 'Ratings.';
comment on column agreement.n_labels is 'Labels of the question.';
comment on column agreement.reason is 'Code of the reason where the estimate is null.';
comment on column agreement.detail is 'The reason in a sentence.';

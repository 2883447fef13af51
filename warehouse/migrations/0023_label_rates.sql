-- What share of the items has each label, by what the systems say, corrected with gold or by the raters.
create table label_rates (
    run_id varchar not null,
    question varchar not null,
    scope varchar not null,
    system varchar not null,
    system_version varchar,
    label varchar not null,
    method varchar not null,
    estimate double,
    low double,
    high double,
    confidence double,
    n_items bigint,
    n_gold bigint,
    reason varchar,
    detail varchar
);
comment on table label_rates is 'One row per run, question, scope, system, label and method.';
comment on column label_rates.run_id is 'The run that computed it.';
comment on column label_rates.question is 'The question.';
comment on column label_rates.scope is
    'Which items: all that the system answered; slice:key=value, those of a slice; version:NAME, those of a version.';
comment on column label_rates.system is 'The system.';
comment on column label_rates.system_version is 'Its version, where the export tells it.';
comment on column label_rates.label is 'The label.';
comment on column label_rates.method is
    'With gold ppi, rogan_gladen and gold_only, without gold model; raw is what the system says, right or wrong.';
comment on column label_rates.estimate is 'Share of the items that have the label.';
comment on column label_rates.low is 'Lower end of the interval.';
comment on column label_rates.high is 'Upper end of the interval.';
comment on column label_rates.confidence is 'Confidence of the interval, 0 to 1.';
comment on column label_rates.n_items is 'Items that the system answered.';
comment on column label_rates.n_gold is 'Gold items behind the estimate.';
comment on column label_rates.reason is 'Code of the reason where the estimate is null.';
comment on column label_rates.detail is 'The reason in a sentence.';

create table label_rate_differences (
    run_id varchar not null,
    question varchar not null,
    system varchar not null,
    version_a varchar not null,
    version_b varchar not null,
    label varchar not null,
    method varchar not null,
    difference double,
    low double,
    high double,
    confidence double,
    n_gold bigint,
    reason varchar,
    detail varchar
);
comment on table label_rate_differences is
    'One row per run, question, two versions of a system and label: how the corrected label rate differs.';
comment on column label_rate_differences.run_id is 'The run that computed it.';
comment on column label_rate_differences.question is 'The question.';
comment on column label_rate_differences.system is 'The system.';
comment on column label_rate_differences.version_a is 'One version.';
comment on column label_rate_differences.version_b is 'The other version.';
comment on column label_rate_differences.label is 'The label.';
comment on column label_rate_differences.method is 'ppi: both rates are corrected with gold.';
comment on column label_rate_differences.difference is
    'Rate over the items that version B answered, less the rate over the items of version A.';
comment on column label_rate_differences.low is 'Lower end of the interval.';
comment on column label_rate_differences.high is 'Upper end of the interval.';
comment on column label_rate_differences.confidence is 'Confidence of the interval, 0 to 1.';
comment on column label_rate_differences.n_gold is 'Gold items that either version answered.';
comment on column label_rate_differences.reason is 'Code of the reason where the difference is null.';
comment on column label_rate_differences.detail is 'The reason in a sentence.';

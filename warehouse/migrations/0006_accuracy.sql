-- What is estimated about the systems, how far the assumptions hold, and alerts.
create table system_accuracy (
    run_id varchar not null,
    question varchar not null,
    system varchar not null,
    system_version varchar,
    method varchar not null,
    accuracy double,
    se double,
    low double,
    high double,
    confidence double,
    spread_low double,
    spread_high double,
    n_items bigint,
    n_gold bigint,
    reason varchar,
    detail varchar,
    warnings varchar[]
);
comment on table system_accuracy is 'One row per run, question, system, version and method.';
comment on column system_accuracy.run_id is 'The run that computed it.';
comment on column system_accuracy.question is 'The question.';
comment on column system_accuracy.system is 'The system: the rater name that it answers under.';
comment on column system_accuracy.system_version is 'Its version, where the export tells it.';
comment on column system_accuracy.method is 'Name of the estimator.';
comment on column system_accuracy.accuracy is 'Estimated share of right answers, without right answers being known.';
comment on column system_accuracy.se is 'Its standard error.';
comment on column system_accuracy.low is 'Lower end of the interval.';
comment on column system_accuracy.high is 'Upper end of the interval.';
comment on column system_accuracy.confidence is 'Confidence of the interval, 0 to 1.';
comment on column system_accuracy.spread_low is 'Lowest estimate of the models compared.';
comment on column system_accuracy.spread_high is 'Highest estimate of the models compared.';
comment on column system_accuracy.n_items is 'Items that the system and the raters share.';
comment on column system_accuracy.n_gold is 'Items among them whose right answer is known.';
comment on column system_accuracy.reason is 'Code of the reason where the accuracy is null.';
comment on column system_accuracy.detail is 'The reason in a sentence.';
comment on column system_accuracy.warnings is 'What to keep in mind about the figure, in sentences.';

create table accuracy_bins (
    run_id varchar not null,
    question varchar not null,
    system varchar not null,
    bin_low double,
    bin_high double,
    mean_posterior double,
    n_items bigint,
    agreement double,
    estimate double
);
comment on table accuracy_bins is 'One row per run, question, system and bin of the raters'' certainty.';
comment on column accuracy_bins.run_id is 'The run that computed it.';
comment on column accuracy_bins.question is 'The question.';
comment on column accuracy_bins.system is 'The system.';
comment on column accuracy_bins.bin_low is 'Lower end of the bin: probability that the consensus label is right.';
comment on column accuracy_bins.bin_high is 'Upper end of the bin.';
comment on column accuracy_bins.mean_posterior is 'Mean probability of the items in it.';
comment on column accuracy_bins.n_items is 'Items in the bin.';
comment on column accuracy_bins.agreement is 'Share of them where the system gives the consensus label.';
comment on column accuracy_bins.estimate is 'Accuracy of the system estimated from this bin.';

create table assumption_checks (
    run_id varchar not null,
    question varchar not null,
    name varchar not null,
    statistic double,
    p_value double,
    effect double,
    detail varchar
);
comment on table assumption_checks is 'One row per run, question and check of what the accuracy methods assume.';
comment on column assumption_checks.run_id is 'The run that computed it.';
comment on column assumption_checks.question is 'The question.';
comment on column assumption_checks.name is 'Name of the check.';
comment on column assumption_checks.statistic is 'Its statistic.';
comment on column assumption_checks.p_value is 'Probability of so large a statistic if the assumption held.';
comment on column assumption_checks.effect is 'Size of the deviation.';
comment on column assumption_checks.detail is 'What it means, in a sentence.';

-- The figures of each rater beside the others who rated the same items.
create table rater_scorecards (
    run_id varchar not null,
    question varchar not null,
    rater varchar not null,
    n_ratings bigint not null,
    n_items bigint not null,
    confidence double not null,
    agreement double,
    agreement_low double,
    agreement_high double,
    agreement_reason varchar,
    accuracy double,
    accuracy_low double,
    accuracy_high double,
    accuracy_reason varchar,
    n_gold bigint not null,
    gold_accuracy double,
    gold_low double,
    gold_high double,
    gold_reason varchar,
    severity double,
    severity_low double,
    severity_high double,
    severity_reason varchar
);
comment on table rater_scorecards is 'One row per run, question and human rater.';
comment on column rater_scorecards.run_id is 'The run that computed it.';
comment on column rater_scorecards.question is 'The question.';
comment on column rater_scorecards.rater is 'The rater, a person.';
comment on column rater_scorecards.n_ratings is 'Ratings of the rater that count.';
comment on column rater_scorecards.n_items is 'Items that another person rated too.';
comment on column rater_scorecards.confidence is 'Of the intervals.';
comment on column rater_scorecards.agreement is 'Share of the pairs of this rater and another rater of the same item that agree.';
comment on column rater_scorecards.agreement_low is 'Lower end of the interval.';
comment on column rater_scorecards.agreement_high is 'Upper end of the interval.';
comment on column rater_scorecards.agreement_reason is 'Code of the reason where it is null.';
comment on column rater_scorecards.accuracy is 'Estimated share of right labels, from the ratings of the people alone.';
comment on column rater_scorecards.accuracy_low is 'Lower end of the interval.';
comment on column rater_scorecards.accuracy_high is 'Upper end of the interval.';
comment on column rater_scorecards.accuracy_reason is 'Code of the reason where it is null.';
comment on column rater_scorecards.n_gold is 'Gold items that the rater rated.';
comment on column rater_scorecards.gold_accuracy is 'Share of right labels on the gold items.';
comment on column rater_scorecards.gold_low is 'Lower end of the interval (Wilson).';
comment on column rater_scorecards.gold_high is 'Upper end of the interval.';
comment on column rater_scorecards.gold_reason is 'Code of the reason where it is null.';
comment on column rater_scorecards.severity is 'On an ordered scale, in logits: above 0 gives lower labels than the average of the raters.';
comment on column rater_scorecards.severity_low is 'Lower end of the interval.';
comment on column rater_scorecards.severity_high is 'Upper end of the interval.';
comment on column rater_scorecards.severity_reason is 'Code of the reason where it is null.';

create table rater_bias (
    run_id varchar not null,
    question varchar not null,
    rater varchar not null,
    label varchar not null,
    n_items bigint not null,
    confidence double not null,
    own_share double,
    others_share double,
    bias double,
    low double,
    high double,
    reason varchar
);
comment on table rater_bias is 'One row per run, question, human rater and label: who gives which label more often than others.';
comment on column rater_bias.run_id is 'The run that computed it.';
comment on column rater_bias.question is 'The question.';
comment on column rater_bias.rater is 'The rater, a person.';
comment on column rater_bias.label is 'The label.';
comment on column rater_bias.n_items is 'Items that another person rated too.';
comment on column rater_bias.confidence is 'Of the interval.';
comment on column rater_bias.own_share is 'Share of these items to which the rater gave the label.';
comment on column rater_bias.others_share is 'Mean share of the others who gave it, on the same items.';
comment on column rater_bias.bias is 'own_share - others_share.';
comment on column rater_bias.low is 'Lower end of the interval of the bias.';
comment on column rater_bias.high is 'Upper end of the interval.';
comment on column rater_bias.reason is 'Code of the reason where it is null.';

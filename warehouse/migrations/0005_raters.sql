-- Pairs of raters, single raters, and what the raters together think of each item.
create table pairwise_agreement (
    run_id varchar not null,
    question varchar not null,
    rater_a varchar not null,
    rater_b varchar not null,
    coefficient varchar not null,
    estimate double,
    se double,
    low double,
    high double,
    n_items bigint,
    reason varchar
);
comment on table pairwise_agreement is 'One row per run, question, pair of raters (a before b) and coefficient.';
comment on column pairwise_agreement.run_id is 'The run that computed it.';
comment on column pairwise_agreement.question is 'The question.';
comment on column pairwise_agreement.rater_a is 'One rater.';
comment on column pairwise_agreement.rater_b is 'The other rater.';
comment on column pairwise_agreement.coefficient is 'Name of the coefficient.';
comment on column pairwise_agreement.estimate is 'The coefficient of the two.';
comment on column pairwise_agreement.se is 'Its standard error.';
comment on column pairwise_agreement.low is 'Lower end of the interval.';
comment on column pairwise_agreement.high is 'Upper end of the interval.';
comment on column pairwise_agreement.n_items is 'Items that both rated.';
comment on column pairwise_agreement.reason is 'Code of the reason where the estimate is null.';

create table rater_quality (
    run_id varchar not null,
    question varchar not null,
    rater varchar not null,
    rater_kind varchar,
    n_ratings bigint,
    accuracy double,
    low double,
    high double,
    agreement_with_others double,
    reason varchar
);
comment on table rater_quality is 'One row per run, question and rater.';
comment on column rater_quality.run_id is 'The run that computed it.';
comment on column rater_quality.question is 'The question.';
comment on column rater_quality.rater is 'The rater.';
comment on column rater_quality.rater_kind is 'human, system or gold.';
comment on column rater_quality.n_ratings is 'Ratings of this rater that count.';
comment on column rater_quality.accuracy is 'Estimated share of right labels, without right answers being known.';
comment on column rater_quality.low is 'Lower end of the interval.';
comment on column rater_quality.high is 'Upper end of the interval.';
comment on column rater_quality.agreement_with_others is 'Share of agreement with what the other raters think.';
comment on column rater_quality.reason is 'Code of the reason where a figure is null.';

create table item_consensus (
    run_id varchar not null,
    question varchar not null,
    item varchar not null,
    label varchar,
    probability double,
    entropy double,
    n_ratings bigint
);
comment on table item_consensus is
    'One row per question and item, of the latest run only: a million items a run would soon outgrow the ratings.';
comment on column item_consensus.run_id is 'The run that computed it.';
comment on column item_consensus.question is 'The question.';
comment on column item_consensus.item is 'The item.';
comment on column item_consensus.label is 'The label that is most probably right.';
comment on column item_consensus.probability is 'Its probability.';
comment on column item_consensus.entropy is 'Doubt about the right label, in bits: 0 is none.';
comment on column item_consensus.n_ratings is 'Ratings of the item that count.';

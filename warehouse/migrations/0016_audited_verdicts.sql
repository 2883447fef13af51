-- Verdicts say what they rest on: the gold items, and the two accuracies that a difference is of.
alter table system_differences add column accuracy_a double;
alter table system_differences add column accuracy_b double;
alter table system_differences add column n_gold bigint;
comment on column system_differences.accuracy_a is 'Accuracy of A on the items that both answered.';
comment on column system_differences.accuracy_b is 'Accuracy of B on the items that both answered.';
comment on column system_differences.n_gold is 'Gold items that both answered; with any, the figures are audited.';

alter table systems_against_raters add column n_gold bigint;
comment on column systems_against_raters.n_gold is
    'Gold items that the system answered; with any, the figures are audited.';
comment on column systems_against_raters.rater_accuracy is
    'The annotators'' accuracy (average_rater), or that of the best rater; the same beside every system.';

alter table rater_quality add column n_gold bigint;
alter table rater_quality add column detail varchar;
comment on column rater_quality.n_gold is 'Gold items that the rater rated; with any, the accuracy is audited.';
comment on column rater_quality.detail is 'The reason in a sentence.';
comment on column rater_quality.accuracy is
    'Probability that a rating of this rater is right: estimated without right answers, or audited with gold.';

alter table annotator_tests add column n_gold bigint;
comment on column annotator_tests.n_gold is 'Gold items that the system answered; with any, the test is on these alone.';

alter table label_quality add column n_gold bigint;
comment on column label_quality.n_gold is
    'Gold items that have the label or that it was given to; with any, the figures are audited.';

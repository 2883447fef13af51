-- Systems beside each other and beside the raters, label by label; whom a check is about; what a further rating is
-- worth.
alter table assumption_checks add column system varchar;
alter table assumption_checks add column rater varchar;
alter table assumption_checks add column other varchar;
alter table assumption_checks add column reason varchar;
alter table assumption_checks add column violated boolean;
comment on table assumption_checks is
    'One row per run, question, check of what the accuracy methods assume, and whom it is about.';
comment on column assumption_checks.name is
    'pairs, adjacent, raters, difficulty, copying (a system and a rater), alike (two raters).';
comment on column assumption_checks.system is 'The system it is about, where it is about one.';
comment on column assumption_checks.rater is 'The rater it is about, where it is about one.';
comment on column assumption_checks.other is 'The second rater, where it is about two.';
comment on column assumption_checks.reason is 'Code of the reason where the check could not be made.';
comment on column assumption_checks.violated is 'Whether p is below .05 and the effect large enough to matter.';

alter table item_consensus add column expected_gain double;
comment on column item_consensus.expected_gain is
    'Bits of doubt that one more rating by an average rater is expected to remove.';

create table system_differences (
    run_id varchar not null,
    question varchar not null,
    system_a varchar not null,
    version_a varchar,
    system_b varchar not null,
    version_b varchar,
    difference double,
    se double,
    low double,
    high double,
    confidence double,
    p_a_better double,
    n_items bigint,
    reason varchar,
    detail varchar,
    warnings varchar[]
);
comment on table system_differences is
    'One row per run, question and two systems, or two versions of one system, on the items that both answered.';
comment on column system_differences.run_id is 'The run that computed it.';
comment on column system_differences.question is 'The question.';
comment on column system_differences.system_a is 'One system.';
comment on column system_differences.version_a is 'Its version, where two versions are compared.';
comment on column system_differences.system_b is 'The other system; the same where two versions are compared.';
comment on column system_differences.version_b is 'Its version, where two versions are compared.';
comment on column system_differences.difference is 'Accuracy of A less accuracy of B, on the same items.';
comment on column system_differences.se is 'Its standard error.';
comment on column system_differences.low is 'Lower end of the interval.';
comment on column system_differences.high is 'Upper end of the interval.';
comment on column system_differences.confidence is 'Confidence of the interval, 0 to 1.';
comment on column system_differences.p_a_better is 'Probability that A is the better one.';
comment on column system_differences.n_items is 'Items that both answered.';
comment on column system_differences.reason is 'Code of the reason where the difference is null.';
comment on column system_differences.detail is 'The reason in a sentence.';
comment on column system_differences.warnings is 'What to keep in mind about the figure, in sentences.';

create table systems_against_raters (
    run_id varchar not null,
    question varchar not null,
    system varchar not null,
    compared_with varchar not null,
    rater varchar,
    accuracy double,
    rater_accuracy double,
    difference double,
    se double,
    low double,
    high double,
    confidence double,
    p_system_better double,
    n_items bigint,
    reason varchar,
    detail varchar,
    warnings varchar[]
);
comment on table systems_against_raters is
    'One row per run, question, system and standard that it is held against: the average rater, the best rater.';
comment on column systems_against_raters.run_id is 'The run that computed it.';
comment on column systems_against_raters.question is 'The question.';
comment on column systems_against_raters.system is 'The system.';
comment on column systems_against_raters.compared_with is 'average_rater or best_rater.';
comment on column systems_against_raters.rater is 'The name of the best rater.';
comment on column systems_against_raters.accuracy is 'Accuracy of the system in this comparison.';
comment on column systems_against_raters.rater_accuracy is 'Accuracy of the rater, or of the average rater.';
comment on column systems_against_raters.difference is 'Accuracy of the system less that of the rater.';
comment on column systems_against_raters.se is 'Its standard error.';
comment on column systems_against_raters.low is 'Lower end of the interval.';
comment on column systems_against_raters.high is 'Upper end of the interval.';
comment on column systems_against_raters.confidence is 'Confidence of the interval, 0 to 1.';
comment on column systems_against_raters.p_system_better is 'Probability that the system is the better one.';
comment on column systems_against_raters.n_items is 'Items that the system answered and somebody rated.';
comment on column systems_against_raters.reason is 'Code of the reason where the difference is null.';
comment on column systems_against_raters.detail is 'The reason in a sentence.';
comment on column systems_against_raters.warnings is 'What to keep in mind about the figure, in sentences.';

create table annotator_tests (
    run_id varchar not null,
    question varchar not null,
    system varchar not null,
    winning_rate double,
    advantage_probability double,
    n_raters bigint,
    passes boolean,
    reason varchar,
    detail varchar
);
comment on table annotator_tests is
    'One row per run, question and system: the alternative annotator test, may it stand in for a human rater?';
comment on column annotator_tests.run_id is 'The run that computed it.';
comment on column annotator_tests.question is 'The question.';
comment on column annotator_tests.system is 'The system.';
comment on column annotator_tests.winning_rate is 'Share of the raters that it is shown to be as good as, less epsilon.';
comment on column annotator_tests.advantage_probability is
    'How often it agrees with the others at least as well as the rater that was left out.';
comment on column annotator_tests.n_raters is 'Raters with enough items to be compared with.';
comment on column annotator_tests.passes is 'Whether the winning rate is .5 or more.';
comment on column annotator_tests.reason is 'Code of the reason where the test could not be made.';
comment on column annotator_tests.detail is 'The reason in a sentence.';

create table label_quality (
    run_id varchar not null,
    question varchar not null,
    rater varchar not null,
    rater_kind varchar,
    label varchar not null,
    precision double,
    precision_low double,
    precision_high double,
    recall double,
    recall_low double,
    recall_high double,
    n_given bigint,
    n_expected double,
    reason varchar,
    detail varchar,
    warnings varchar[]
);
comment on table label_quality is
    'One row per run, question, system or human rater, and label: how far its use of the label can be relied on.';
comment on column label_quality.run_id is 'The run that computed it.';
comment on column label_quality.question is 'The question.';
comment on column label_quality.rater is 'The system or rater.';
comment on column label_quality.rater_kind is 'human or system.';
comment on column label_quality.label is 'The label.';
comment on column label_quality.precision is 'Share of the items it gave the label where the label is right.';
comment on column label_quality.precision_low is 'Lower end of the interval.';
comment on column label_quality.precision_high is 'Upper end of the interval.';
comment on column label_quality.recall is 'Share of the items whose right label this is to which it gave it.';
comment on column label_quality.recall_low is 'Lower end of the interval.';
comment on column label_quality.recall_high is 'Upper end of the interval.';
comment on column label_quality.n_given is 'Items to which it gave the label.';
comment on column label_quality.n_expected is 'Items, expected, whose right label it is, among those that it labelled.';
comment on column label_quality.reason is 'Code of the reason where a figure is null.';
comment on column label_quality.detail is 'The reason in a sentence.';
comment on column label_quality.warnings is 'What to keep in mind about the figures, in sentences.';

-- Where the gold of a figure comes from.
alter table system_accuracy add column gold_origin varchar;
alter table rater_quality add column gold_origin varchar;
comment on column system_accuracy.gold_origin is
    'drawn: each gold item was drawn with a known probability; unknown: nobody knows how they were chosen. Null without gold.';
comment on column rater_quality.gold_origin is
    'drawn: each gold item was drawn with a known probability; unknown: nobody knows how they were chosen. Null without gold.';

-- How strongly the errors of the human raters go together on the gold items, and how many independent raters that leaves.
create table shared_errors (
    run_id varchar not null,
    question varchar not null,
    correlation double,
    low double,
    high double,
    confidence double,
    raters_per_item double,
    n_effective double,
    n_effective_low double,
    n_effective_high double,
    n_items bigint,
    reason varchar,
    detail varchar
);
comment on table shared_errors is 'One row per run and question: how strongly the raters'' errors go together, by gold.';
comment on column shared_errors.run_id is 'The run that computed it.';
comment on column shared_errors.question is 'The question.';
comment on column shared_errors.correlation is
    'Intraclass correlation of the errors on the gold items; 0 if raters err independently. Null with a reason.';
comment on column shared_errors.low is 'Lower end of its interval.';
comment on column shared_errors.high is 'Upper end of its interval.';
comment on column shared_errors.confidence is 'Confidence of the intervals, 0 to 1.';
comment on column shared_errors.raters_per_item is 'Mean number of human ratings of a gold item.';
comment on column shared_errors.n_effective is
    'Number of independent raters that say as much: m / (1 + (m - 1) correlation), m being raters_per_item. A correlation below 0 counts as 0.';
comment on column shared_errors.n_effective_low is 'The same at the upper end of the correlation.';
comment on column shared_errors.n_effective_high is 'The same at the lower end of the correlation.';
comment on column shared_errors.n_items is 'Gold items with two human ratings or more.';
comment on column shared_errors.reason is 'Code of the reason where the correlation is null.';
comment on column shared_errors.detail is 'The reason in a sentence.';

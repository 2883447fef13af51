-- One row per question, system or rater, and label: what the last run found.
create or replace view latest_label_quality as
select
    a.question, a.rater, a.rater_kind, a.label, a.precision, a.precision_low, a.precision_high, a.recall,
    a.recall_low, a.recall_high, a.n_given, a.n_expected, a.reason, a.detail, a.warnings, a.run_id,
    r.started_at as evaluated_at, a.n_gold
from label_quality as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'label_quality'
where r.kind = 'evaluate'
order by a.question, a.rater_kind desc, a.rater, a.label;

comment on view latest_label_quality is
    'One row per question, system or human rater, and label: precision and recall.';
comment on column latest_label_quality.rater is 'The system or rater.';
comment on column latest_label_quality.rater_kind is 'human or system.';
comment on column latest_label_quality.precision is 'Of the items to which it gave the label, the share where the label is right.';
comment on column latest_label_quality.precision_low is 'Lower end of the interval.';
comment on column latest_label_quality.precision_high is 'Upper end of the interval.';
comment on column latest_label_quality.recall is 'Of the items with this right label, the share to which it gave the label.';
comment on column latest_label_quality.recall_low is 'Lower end of the interval.';
comment on column latest_label_quality.recall_high is 'Upper end of the interval.';
comment on column latest_label_quality.n_given is 'Items to which it gave the label.';
comment on column latest_label_quality.n_expected is
    'Expected number of items with this right label, among those that it labelled.';
comment on column latest_label_quality.reason is 'Code of the reason where a figure is null.';
comment on column latest_label_quality.warnings is 'What to keep in mind about the figures, in sentences.';
comment on column latest_label_quality.n_gold is
    'Gold items that have the label or that it was given to; with any, the figures are audited.';

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

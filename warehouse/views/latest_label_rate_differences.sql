-- One row per question, two versions of a system and label: how the corrected label rate differs.
create or replace view latest_label_rate_differences as
select
    a.question, a.system, a.version_a, a.version_b, a.label, a.method, a.difference, a.low, a.high,
    a.confidence, a.n_gold, a.reason, a.detail, a.run_id, r.started_at as evaluated_at
from label_rate_differences as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'label_rate_differences'
where r.kind = 'evaluate'
order by a.question, a.system, a.version_a, a.version_b, a.label;

comment on view latest_label_rate_differences is
    'One row per question, two versions of a system and label: how the corrected label rate differs.';

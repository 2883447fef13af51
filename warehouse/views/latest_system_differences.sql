-- One row per question and two systems, or two versions of one: what the last run found.
create or replace view latest_system_differences as
select
    a.question, a.system_a, a.version_a, a.system_b, a.version_b, a.difference, a.se, a.low, a.high, a.confidence,
    a.p_a_better, a.n_items, a.reason, a.detail, a.warnings, a.run_id, r.started_at as evaluated_at,
    a.accuracy_a, a.accuracy_b, a.n_gold
from system_differences as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'system_differences'
where r.kind = 'evaluate'
order by a.question, a.version_a nulls first, a.system_a, a.system_b, a.version_b;

comment on view latest_system_differences is
    'One row per question and two systems (or two versions of one system): which is better, and how sure that is.';

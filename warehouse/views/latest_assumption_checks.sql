-- One row per question, check and whom it is about: what the last run found.
create or replace view latest_assumption_checks as
select
    a.question, a.name, a.system, a.rater, a.other, a.statistic, a.p_value, a.p_adjusted, a.effect, a.violated,
    a.reason, a.detail, a.run_id, r.started_at as evaluated_at
from assumption_checks as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'assumption_checks'
where r.kind = 'evaluate'
order by
    a.question, a.violated desc nulls last, a.p_adjusted nulls last, a.p_value nulls last, a.name, a.system, a.rater,
    a.other;

comment on view latest_assumption_checks is
    'One row per question, check of an assumption of the accuracy methods, and system or rater that it is about.';

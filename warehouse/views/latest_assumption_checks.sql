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
comment on column latest_assumption_checks.name is
    'pairs, adjacent, raters, difficulty, copying (a system and a rater), alike (two raters).';
comment on column latest_assumption_checks.system is 'The system it is about, where it is about one.';
comment on column latest_assumption_checks.rater is 'The rater it is about, where it is about one.';
comment on column latest_assumption_checks.other is 'The second rater, where it is about two.';
comment on column latest_assumption_checks.statistic is 'Test statistic of the check.';
comment on column latest_assumption_checks.p_value is
    'p value of this test alone: the probability of a statistic at least this large if the assumption held.';
comment on column latest_assumption_checks.p_adjusted is
    'p_value corrected for all tests of the question. Null in old runs: they stored a corrected p_value for copying and alike.';
comment on column latest_assumption_checks.effect is 'Size of the deviation from the assumption.';
comment on column latest_assumption_checks.violated is
    'Whether p_adjusted is below .05 and the effect matters. Null if another cause may explain it.';
comment on column latest_assumption_checks.reason is 'Code of the reason where the check could not be made.';
comment on column latest_assumption_checks.detail is 'What it means, in a sentence.';

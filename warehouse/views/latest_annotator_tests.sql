-- One row per question and system: what the last run found.
create or replace view latest_annotator_tests as
select
    a.question, a.system, a.winning_rate, a.advantage_probability, a.n_raters, a.passes, a.reason, a.detail,
    a.run_id, r.started_at as evaluated_at, a.n_gold
from annotator_tests as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'annotator_tests'
where r.kind = 'evaluate'
order by a.question, a.winning_rate desc nulls last, a.system;

comment on view latest_annotator_tests is
    'One row per question and system: the alternative annotator test, which asks whether the system can replace a human rater.';
comment on column latest_annotator_tests.winning_rate is
    'Share of the raters whom the system is shown to match, up to epsilon.';
comment on column latest_annotator_tests.advantage_probability is
    'Mean over the raters of the probability that the system agrees with the other raters at least as well as the rater does.';
comment on column latest_annotator_tests.n_raters is 'Raters with enough items for the comparison.';
comment on column latest_annotator_tests.passes is 'Whether the winning rate is .5 or more.';
comment on column latest_annotator_tests.reason is 'Code of the reason where the test could not be made.';
comment on column latest_annotator_tests.n_gold is
    'Gold items that the system answered; with any, the test is on these alone.';

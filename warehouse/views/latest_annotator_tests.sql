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
    'One row per question and system: may it stand in for a human rater?';
comment on column latest_annotator_tests.question is 'The question.';
comment on column latest_annotator_tests.system is 'The system.';
comment on column latest_annotator_tests.winning_rate is
    'Share of the raters that it is shown to be as good as, less epsilon.';
comment on column latest_annotator_tests.advantage_probability is
    'How often it agrees with the others at least as well as the rater that was left out.';
comment on column latest_annotator_tests.n_raters is 'Raters with enough items to be compared with.';
comment on column latest_annotator_tests.passes is 'Whether the winning rate is .5 or more.';
comment on column latest_annotator_tests.reason is 'Code of the reason where the test could not be made.';
comment on column latest_annotator_tests.detail is 'The reason in a sentence.';
comment on column latest_annotator_tests.n_gold is
    'Gold items that the system answered; with any, the test is on these alone.';
comment on column latest_annotator_tests.run_id is 'The run that computed it.';
comment on column latest_annotator_tests.evaluated_at is 'When that run began (UTC).';

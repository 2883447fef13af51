-- One row per question, pair of raters and coefficient of the last run.
create or replace view latest_pairwise_agreement as
select a.*
from pairwise_agreement as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'pairwise_agreement'
order by a.question, a.coefficient, a.rater_a, a.rater_b;

comment on view latest_pairwise_agreement is 'One row per question, pair of raters and coefficient of the last run.';

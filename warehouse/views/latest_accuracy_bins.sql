-- One row per question, system and bin of the last run: how Lehner's estimate comes about.
create or replace view latest_accuracy_bins as
select a.*
from accuracy_bins as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'accuracy_bins'
order by a.question, a.system, a.bin_low;

comment on view latest_accuracy_bins is 'One row per question, system and bin of the last run: how Lehner''s estimate comes about.';

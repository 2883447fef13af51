-- One row per question, system and bin of the last run: how Lehner's estimate comes about.
create or replace view latest_accuracy_bins as
select a.*
from accuracy_bins as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'accuracy_bins'
order by a.question, a.system, a.bin_low;

comment on view latest_accuracy_bins is 'One row per question, system and bin of the last run: how Lehner''s estimate comes about.';
comment on column latest_accuracy_bins.bin_low is 'Lower end of the bin: probability that the consensus label is right.';
comment on column latest_accuracy_bins.bin_high is 'Upper end of the bin.';
comment on column latest_accuracy_bins.mean_posterior is 'Mean probability of the items in it.';
comment on column latest_accuracy_bins.n_items is 'Items in the bin.';
comment on column latest_accuracy_bins.agreement is 'Share of them where the system gives the consensus label.';
comment on column latest_accuracy_bins.estimate is 'Accuracy of the system estimated from this bin.';

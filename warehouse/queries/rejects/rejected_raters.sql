-- One row per question and rater with rejected rows: their number. The rater is null where no row names one.
select question, rater, cast(sum(n_rows) as bigint) as n_rows
from current_rejected_rows
where question is not null
group by question, rater
order by question, rater;

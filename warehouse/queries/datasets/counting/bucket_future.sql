-- One row per group of files that has ratings in this bucket dated after they arrived: how many, and the latest date.
select split_part(batch_id, '/', 1)::integer as place, n_future, last_future_at
from batches
where n_future > 0;

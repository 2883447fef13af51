-- One row, or none: what the warehouse holds of a batch.
select
    b.status, b.settings_hash, b.attempt, i.batch_no, b.n_ratings, b.n_unchanged, b.n_skipped, b.n_rejected
from batches as b inner join internal.batches as i using (batch_id)
where batch_id = $batch_id;

-- One row, or none: what the warehouse holds of a batch.
select
    status, source, coalesce(full_export, false) as full_export, reading, settings_hash, attempt, n_ratings, n_unchanged,
    n_skipped, n_rejected, coalesce(n_deleted, 0) as n_deleted
from batches
where batch_id = $batch_id;

-- One row per batch: what was read already, how, with which settings, and how much of it was refused.
select batch_id, sha256, reader, source, file_name, status, settings_hash, attempt, n_rejected
from batches
order by ingested_at, batch_id;

-- One row per batch: what was read already, how, and with which settings.
select batch_id, sha256, reader, file_name, status, settings_hash, attempt
from batches
order by ingested_at, batch_id;

-- A batch that was withdrawn counts as one that was not read yet: its file is read again.
update batches
set status = 'rejected', reason = 'withdrawn', detail = $detail, settings_hash = null
where batch_id = $batch_id;

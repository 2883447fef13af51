-- Withdraw a batch again that was wanted again and was not read since: nothing of it is stored.
update batches
set status = 'stored', reason = null, detail = $detail, settings_hash = $settings_hash
where batch_id = $batch_id;

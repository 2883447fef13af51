-- A refused batch, which has no ratings, takes the identity under which its file is read now, unless a batch has it.
update batches
set batch_id = $batch_id
where batch_id = $formerly and status = 'rejected' and $batch_id not in (select batch_id from internal.batches);

update rejected_rows
set batch_id = $batch_id
where batch_id = $formerly and $formerly not in (select batch_id from batches);

update internal.batches
set batch_id = $batch_id
where batch_id = $formerly and $formerly not in (select batch_id from batches);

-- Write the batch's own row, in place of that of an earlier attempt.
-- Writes: batches
delete from batches
where batch_id = $batch_id;

insert into batches by name
select
    $batch_id as batch_id, $source as source, $file_name as file_name, $sha256 as sha256, $reader as reader,
    $status as status, $reason as reason, $detail as detail, $attempt as attempt, $settings_hash as settings_hash,
    $n_rows as n_rows, $n_ratings as n_ratings, $n_unchanged as n_unchanged, $n_skipped as n_skipped,
    $n_rejected as n_rejected, $n_deleted as n_deleted, $n_future as n_future, $last_future as last_future_at, $full_export as full_export,
    $file_modified_at as file_modified_at, $reading as reading, $started_at as started_at, $now as ingested_at;

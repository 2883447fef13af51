-- Store the metadata of the items, and the rows that the reader and the validation rejected.
-- Reads: incoming_rejects, internal.item_metadata, staged_metadata
-- Writes: internal.item_metadata, rejected_rows
delete from internal.item_metadata as old
using staged_metadata as new
where old.item_id = new.item_id and old.key = new.key and old.value is distinct from new.value;

insert into internal.item_metadata by name
from staged_metadata anti join internal.item_metadata using (item_id, key);

-- Without `returning`, which would hold all rows in memory. So do not read this table later in the transaction: see
-- 09_restore_older_ratings.sql.
insert into rejected_rows by name
select
    $batch_id as batch_id, $file_name as file_name, * replace (left(item, 200) as item, left(rater, 200) as rater),
    $attempt as attempt, $now as rejected_at
from incoming_rejects;

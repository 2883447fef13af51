-- What goes with the ratings of a batch: metadata of the items (the last value counts), and the rows that the reader and
-- the validation rejected.
create or replace temp table new_metadata as
with latest as (
    select item_id, key, arg_max(value, arrival) as value
    from staged_metadata
    where value is not null
    group by item_id, key
)

from latest anti join internal.item_metadata using (item_id, key, value);

delete from internal.item_metadata as old
using new_metadata as new
where old.item_id = new.item_id and old.key = new.key;

insert into internal.item_metadata by name
from new_metadata;

insert into rejected_rows by name
select
    $batch_id as batch_id, $file_name as file_name, * replace (left(item, 200) as item, left(rater, 200) as rater),
    $attempt as attempt, $now as rejected_at
from incoming_rejects
-- see store_withdraw.sql: store_refused inserts here once more
returning batch_id;

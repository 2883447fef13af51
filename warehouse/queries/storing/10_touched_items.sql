-- `touched`: the items of before this transaction in which it inserted, superseded or deleted a rating. An item without
-- a pattern had no rating in force: it is new.
-- Reads: internal.item_patterns, internal.ratings
-- Writes: touched
create or replace temp table touched as
with written as (
    select item_id from internal.ratings where ingested_at = $now
    union all
    select item_id from internal.ratings where superseded_at = $now
    union all
    select item_id from internal.ratings where deleted_at = $now
)

select item_id
from internal.item_patterns semi join written using (item_id);

-- `touched`: the items with a rating that was inserted, superseded or deleted in this transaction.
-- Reads: internal.ratings
-- Writes: touched
create or replace temp table touched as
select item_id from internal.ratings where ingested_at = $now
union
select item_id from internal.ratings where superseded_at = $now
union
select item_id from internal.ratings where deleted_at = $now;

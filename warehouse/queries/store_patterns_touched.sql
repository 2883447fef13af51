-- `touched`: the items of which a rating came, gave way or went in this transaction.
create or replace temp table touched as
select item_id from internal.ratings where ingested_at = $now
union
select item_id from internal.ratings where superseded_at = $now
union
select item_id from internal.ratings where deleted_at = $now;

-- An item with two values of one key, or metadata of an item that does not exist.
-- To do: Restore the last sound backup, or ingest the exports again into a new warehouse.
select item_id, key, count(*) as n_values
from internal.item_metadata
group by item_id, key
having count(*) > 1 or item_id not in (select item_id from internal.items);

-- One row: the highest key of an item; 0 if there is none.
select coalesce(max(item_id), 0)
from internal.items;

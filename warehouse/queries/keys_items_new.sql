-- The new items of a batch enter the dictionary.
insert into internal.items by name
from new_items;

-- Add the new items of a batch to the dictionary.
insert into internal.items by name
from new_items;

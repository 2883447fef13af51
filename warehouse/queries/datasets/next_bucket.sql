-- Forget the ratings of the bucket. Its counts stay, and those of the next one are added.
delete from internal.ratings;

delete from internal.items;

delete from internal.item_patterns;

delete from batches;

delete from rejected_rows;

-- Count the items of the bucket by slice, and forget its ratings. Its counts stay, and those of the next one are added.
-- The empty text stands for several values.
insert into internal.slice_counts
select p.question_id, m.key, nullif(m.value, ''), p.pattern_id, count(*)
from internal.item_metadata as m inner join internal.item_patterns as p using (item_id)
group by p.question_id, m.key, m.value, p.pattern_id;

delete from internal.item_metadata;

delete from internal.ratings;

delete from internal.items;

delete from internal.item_patterns;

delete from batches;

delete from rejected_rows;

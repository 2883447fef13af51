-- Count the items of the bucket by slice, and forget its ratings. Its counts stay, and those of the next one are added.
-- The empty text stands for several values.
merge into internal.slice_counts as c
using (
    select p.question_id, m.key, nullif(m.value, '') as value, p.pattern_id, count(*) as n_items
    from internal.item_metadata as m inner join internal.item_patterns as p using (item_id)
    group by p.question_id, m.key, m.value, p.pattern_id
) as x
    on c.pattern_id = x.pattern_id and c.key = x.key and c.value is not distinct from x.value
when matched then update set n_items = c.n_items + x.n_items
when not matched then insert values (x.question_id, x.key, x.value, x.pattern_id, x.n_items);

delete from internal.item_metadata;

delete from internal.ratings;

delete from internal.items;

delete from internal.item_patterns;

delete from batches;

delete from rejected_rows;

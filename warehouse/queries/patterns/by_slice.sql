-- One row per value of a key of the items' metadata, and pattern of a question. Of a question in a dataset the value may
-- be null: items with several values.
with counted as (
    select p.question_id, m.value, p.pattern_id, count(*) as n_items
    from internal.item_metadata as m inner join internal.item_patterns as p using (item_id)
    where m.key = $key and m.value is not null
    group by all
    union all
    select question_id, value, pattern_id, n_items
    from internal.slice_counts
    where key = $key
)

select value, pattern_id, n_items
from counted
where question_id = (select question_id from internal.questions where question = $question)
order by value, pattern_id;

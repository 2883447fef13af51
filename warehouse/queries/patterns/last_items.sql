-- One row per pattern: how many of the $n items of a question that were rated last have it.
with last_rated as (
    select pattern_id
    from internal.item_patterns
    where
        question_id = (select question_id from internal.questions where question = $question) and latest is not null
    order by latest desc, item_id desc
    limit $n
)

select pattern_id, count(*) as n_items
from last_rated
group by pattern_id
order by pattern_id;

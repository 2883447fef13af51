-- One row per pattern: how many of the $n items of a question that were rated last have it. Items dated
-- after the last arrival (a wrong date) come after all others.
with rated as (
    select pattern_id, latest, item_id::bigint as place
    from internal.item_patterns
    where
        question_id = (select question_id from internal.questions where question = $question) and latest is not null
    union all
    select pattern_id, latest, first_row
    from internal.dataset_last_items
    where question_id = (select question_id from internal.questions where question = $question)
),

last_rated as (
    select pattern_id
    from rated
    order by latest > (select max(ingested_at) from batches), latest desc, place desc
    limit $n
)

select pattern_id, count(*) as n_items
from last_rated
group by pattern_id
order by pattern_id;

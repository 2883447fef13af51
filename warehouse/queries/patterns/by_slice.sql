-- One row per value of a key of the items' metadata, and pattern of a question.
select m.value, p.pattern_id, count(*) as n_items
from internal.item_metadata as m inner join internal.item_patterns as p using (item_id)
where
    m.key = $key and m.value is not null
    and p.question_id = (select question_id from internal.questions where question = $question)
group by m.value, p.pattern_id
order by m.value, p.pattern_id;

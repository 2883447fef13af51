-- One value that changes when the rated items' metadata of these keys change. After an update of DuckDB the hash may
-- differ, so that the question is evaluated once more.
select coalesce(bit_xor(hash(m.item_id, m.key, m.value)), 0)::varchar as state
from internal.item_metadata as m semi join internal.item_patterns as p
    on m.item_id = p.item_id and p.question_id = (select question_id from internal.questions where question = $question)
where list_contains($keys, m.key) and m.value is not null;

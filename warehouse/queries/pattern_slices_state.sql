-- One number that changes with the values that the rated items of a question have of these keys. It is compared with
-- one of the past only: where another version of DuckDB hashes otherwise, they seem to have changed, once.
select coalesce(bit_xor(hash(m.item_id, m.key, m.value)), 0)::varchar as state
from internal.item_metadata as m semi join internal.item_patterns as p
    on m.item_id = p.item_id and p.question_id = (select question_id from internal.questions where question = $question)
where list_contains($keys, m.key) and m.value is not null;

-- One row per question, item and key: the value that arrived last.
create or replace view item_metadata as
select questions.question, items.item, metadata.key, metadata.value
from internal.item_metadata as metadata
inner join internal.items using (item_id)
inner join internal.questions using (question_id);

comment on view item_metadata is 'One row per question, item and key: what the exports tell about an item.';
comment on column item_metadata.key is 'Name of the property.';
comment on column item_metadata.value is 'Its value, the one that arrived last.';

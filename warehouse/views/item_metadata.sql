-- One row per question, item and key: the value that arrived last.
create or replace view item_metadata as
select q.question, i.item, m.key, m.value
from internal.item_metadata as m
inner join internal.items as i using (item_id)
inner join internal.questions as q using (question_id);

comment on view item_metadata is 'One row per question, item and key: what the exports tell about an item.';
comment on column item_metadata.key is 'Name of the property.';
comment on column item_metadata.value is 'Its value, the one that arrived last.';

-- One row per question and key of its items' metadata, or key by which a dataset counts its items.
select q.question, m.key
from internal.item_metadata as m
inner join internal.items as i using (item_id)
inner join internal.questions as q using (question_id)
union
select q.question, s.key
from internal.slice_counts as s inner join internal.questions as q using (question_id)
order by 1, 2;

-- One row per question and key of its items' metadata.
select distinct q.question, m.key
from internal.item_metadata as m
inner join internal.items as i using (item_id)
inner join internal.questions as q using (question_id)
order by q.question, m.key;

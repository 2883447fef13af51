-- One row per item of a batch that has a key already: its place in the batch, and the key.
select n.place, i.item_id
from incoming_items as n inner join internal.items as i using (question_id, item);

-- A rating whose batch, question, item, rater or label does not exist.
-- To do: Restore the last sound backup, or ingest the exports again into a new warehouse.
select r.rating_id, r.batch_no, r.question_id, r.item_id, r.rater_id, r.label_id
from internal.ratings as r
left join internal.batches as n using (batch_no)
left join batches as b using (batch_id)
left join internal.questions as q using (question_id)
left join internal.items as i on r.item_id = i.item_id and r.question_id = i.question_id
left join internal.raters as a using (rater_id)
left join internal.labels as l using (label_id)
where
    b.batch_id is null or q.question_id is null or i.item_id is null or a.rater_id is null or l.label_id is null;

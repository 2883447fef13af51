-- Store the rows that the rule for duplicates refused as rejected rows.
-- Reads: internal.items, internal.labels, internal.questions, internal.raters, refused, staged
-- Writes: rejected_rows
insert into rejected_rows by name
select
    $batch_id as batch_id, $file_name as file_name, s.row_number, 'label' as column_name, left(l.label, 200) as value,
    'duplicate_rating' as reason,
    'The rater has rated this item already, and a second rating is an error by the rule of the question.' as detail,
    q.question, left(i.item, 200) as item, left(r.rater, 200) as rater, $attempt as attempt, $now as rejected_at
from (from staged semi join refused using (arrival)) as s
inner join internal.questions as q using (question_id)
inner join internal.items as i using (item_id)
inner join internal.raters as r using (rater_id)
inner join internal.labels as l using (label_id);

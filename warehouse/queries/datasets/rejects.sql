-- Store the rejected rows of a batch: the first ones of each file and reason, and one for the rest.
delete from rejected_rows
where batch_id = $batch_id and attempt = $attempt;

insert into rejected_rows by name
select
    $batch_id as batch_id, file_name, row_number, column_name, value, reason, detail, question,
    left(item, 200) as item, left(rater, 200) as rater, $attempt as attempt, $now as rejected_at, n_rows
from incoming_rejects
where place = $place;

-- The rejected rows; with $batch, of one batch.
select *
from current_rejected_rows
where
    ($batch is null or batch_id = $batch)
    and ($question is null or batch_id in (select batch_id from batch_questions where question = $question))
order by file_name, row_number nulls last
limit $n_rows;

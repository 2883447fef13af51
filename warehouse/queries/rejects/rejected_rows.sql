-- One row per rejected row, of all attempts or of the latest attempt at each file. A filter that is null selects all
-- rows. A row without a question is listed under each question of its file.
select
    r.file_name, r.row_number, r.column_name, r.value, r.reason, r.detail, r.question, r.item, r.rater, r.attempt,
    r.rejected_at, r.batch_id, r.n_rows
from rejected_rows as r inner join batches as b using (batch_id)
where
    ($attempts = 'all' or r.attempt = b.attempt)
    and ($reason is null or r.reason = $reason)
    and ($file is null or r.file_name = $file or string_split(r.file_name, '/')[-1] = $file)
    and (
        $question is null or r.question = $question or r.question is null and r.batch_id in (
            select batch_id from batch_questions where question = $question
        )
    )
order by r.file_name, r.batch_id, r.attempt, r.row_number nulls first, r.column_name;

-- How many rows were rejected for which reason, in how many files; with $batch, of one batch. The most frequent comes first.
select reason, sum(n_rows)::bigint as n_rows, count(distinct file_name) as n_files
from current_rejected_rows
where
    ($batch is null or batch_id = $batch)
    and ($question is null or batch_id in (select batch_id from batch_questions where question = $question))
group by reason
order by n_rows desc, reason;

-- The batches, the latest first: how much of each was usable.
select *
from data_quality
where
    ($batch is null or batch_id = $batch)
    and ($question is null or batch_id in (select batch_id from batch_questions where question = $question))
order by ingested_at desc, batch_id
limit $n_rows;

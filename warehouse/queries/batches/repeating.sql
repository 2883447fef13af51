-- One row per batch that came later than $batch_id and has rows that were stored already, of the same questions.
select b.batch_id, b.file_name
from batches as b
inner join internal.batches as i using (batch_id)
inner join internal.arrivals as a using (batch_no)
where
    a.arrived_at > (
        select arrived_at
        from internal.arrivals inner join internal.batches using (batch_no)
        where batch_id = $batch_id
    )
    and exists (
        from batch_questions as q
        where
            q.batch_id = b.batch_id and q.n_unchanged > 0
            and q.question in (select question from batch_questions where batch_id = $batch_id)
    )
order by b.ingested_at desc, b.batch_id;

-- One row per batch that was read after $batch_id came, and has rows of the same questions that were stored already, or
-- that were refused because of a stored rating. Those in $together are left out.
with of_batch as (
    select question
    from batch_questions
    where batch_id = $batch_id
)

select b.batch_id, b.file_name, b.reader
from batches as b
where
    b.batch_id <> $batch_id and not list_contains($together::varchar [], b.batch_id)
    and b.ingested_at > (
        select arrived_at
        from internal.arrivals inner join internal.batches using (batch_no)
        where batch_id = $batch_id
    )
    and (
        exists (
            from batch_questions as q
            where q.batch_id = b.batch_id and q.n_unchanged > 0 and q.question in (from of_batch)
        )
        or exists (
            from current_rejected_rows as r
            where r.batch_id = b.batch_id and r.reason = 'duplicate_rating' and r.question in (from of_batch)
        )
    )
order by b.ingested_at desc, b.batch_id;

-- A batch whose rows do not add up, or that does not have the ratings and rejects that it counts.
with stored as (select batch_no, count(*) as n from internal.ratings group by batch_no),

refused as (select batch_id, attempt, count(*) as n from rejected_rows group by batch_id, attempt)

select
    b.batch_id, b.n_rows, b.n_ratings, b.n_unchanged, b.n_skipped, b.n_rejected, coalesce(s.n, 0) as n_found,
    coalesce(r.n, 0) as n_rejected_found
from batches as b
left join internal.batches as i using (batch_id)
left join stored as s using (batch_no)
left join refused as r using (batch_id, attempt)
where
    b.n_rows <> b.n_ratings + b.n_unchanged + b.n_skipped + b.n_rejected
    or b.n_ratings <> coalesce(s.n, 0)
    or b.n_rejected <> coalesce(r.n, 0);

-- A batch whose rows do not add up, or that does not have the ratings, votes, marked items and rejects that it counts.
-- The ratings of a dataset are in its files.
-- To do: Restore the last sound backup, or ingest the exports again into a new warehouse.
with stored as (
    select batch_no, count(*) as n
    from internal.ratings
    where withdrawn_at is null and restores is null
    group by batch_no
),

voted as (
    select batch_no, count(*) as n
    from (
        select batch_no from internal.preferences where withdrawn_at is null
        union all
        select batch_no from internal.region_work where withdrawn_at is null
    )
    group by batch_no
),

deleted as (
    select deleted_by as batch_no, count(*) as n
    from (
        select deleted_by from internal.ratings where superseded_at is null
        union all
        select deleted_by from internal.region_work where deleted_in_force
    )
    where deleted_by is not null
    group by deleted_by
),

refused as (select batch_id, attempt, sum(n_rows)::bigint as n from rejected_rows group by batch_id, attempt)

select
    b.batch_id, b.n_rows, b.n_ratings, b.n_unchanged, b.n_skipped, b.n_rejected, coalesce(s.n, 0) + coalesce(v.n, 0) as n_found,
    coalesce(r.n, 0) as n_rejected_found
from batches as b
left join internal.batches as i using (batch_id)
left join stored as s using (batch_no)
left join voted as v using (batch_no)
left join deleted as d using (batch_no)
left join refused as r using (batch_id, attempt)
where
    b.n_rows <> b.n_ratings + b.n_unchanged + b.n_skipped + b.n_rejected
    or b.n_ratings <> coalesce(s.n, 0) + coalesce(v.n, 0) and b.reader is distinct from 'dataset'
    or b.n_rejected <> coalesce(r.n, 0)
    or coalesce(b.n_deleted, 0) <> coalesce(d.n, 0);

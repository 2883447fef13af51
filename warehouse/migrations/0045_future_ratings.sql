-- Ratings that are dated after they arrived.
alter table batches add column n_future bigint default 0;
alter table batches add column last_future_at timestamptz;
comment on column batches.n_future is
    'Ratings of the batch that are dated more than five minutes after they arrived: a wrong date, or a local time.';
comment on column batches.last_future_at is 'The latest of these dates (UTC).';

update batches
set n_future = f.n, last_future_at = f.latest
from (
    select i.batch_id, count(*) as n, max(r.rated_at) as latest
    from internal.ratings as r
    inner join internal.batches as i using (batch_no)
    inner join internal.arrivals as a using (batch_no)
    where r.withdrawn_at is null and r.restores is null and r.rated_at > a.arrived_at + interval 5 minutes
    group by i.batch_id
) as f
where batches.batch_id = f.batch_id;

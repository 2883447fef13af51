-- One row: the files that came in, those that could not be read (not those that somebody withdrew and wants again), those
-- that are withdrawn, and the rejected rows.
select
    count(*) as n_files,
    count(*) filter (where status = 'rejected' and reason is distinct from 'withdrawn') as n_files_rejected,
    count(*) filter (where status = 'stored' and settings_hash = 'withdrawn') as n_files_withdrawn,
    coalesce(sum(n_rejected), 0)::bigint as n_rejected
from batches;

-- One row per file and reason: the rows that the latest attempt at the file rejected. A file that could not be read at
-- all is one row without a count.
create or replace view rejects_by_reason as
with counted as (
    select
        batch_id, source, file_name, reason, false as whole_file, sum(n_rows)::bigint as n_rejected, min(row_number) as first_row,
        case when count(*) = count(row_number) then max(row_number) end as last_row,
        arg_min(value, (row_number, value)) as first_value,
        arg_min(detail, (row_number, detail)) as detail, attempt, max(rejected_at) as rejected_at
    from current_rejected_rows
    group by batch_id, source, file_name, reason, attempt
),

whole as (
    select
        batch_id, source, file_name, reason, true as whole_file, null as n_rejected, null as first_row,
        null as last_row, null as first_value, detail, attempt, ingested_at as rejected_at
    from batches
    where status = 'rejected'
)

from counted
union all by name
from whole
order by file_name, whole_file desc, n_rejected desc, reason;

comment on view rejects_by_reason is
    'One row per file and reason: how many rows the latest attempt at the file refused. Earlier attempts are not counted.';
comment on column rejects_by_reason.batch_id is 'The batch.';
comment on column rejects_by_reason.whole_file is 'Whether the whole file could not be read.';
comment on column rejects_by_reason.n_rejected is 'Rows refused for that reason; null for a whole file.';
comment on column rejects_by_reason.first_row is 'The first of them.';
comment on column rejects_by_reason.last_row is 'The last of them; null where not all are listed, as in a dataset.';
comment on column rejects_by_reason.first_value is 'The value found in the first of them.';
comment on column rejects_by_reason.detail is 'The sentence of the first of them, or of the whole file.';
comment on column rejects_by_reason.attempt is 'The attempt that refused them.';
comment on column rejects_by_reason.rejected_at is 'When they were refused (UTC).';

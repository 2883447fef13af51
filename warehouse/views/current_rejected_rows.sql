-- One row per annotation that the latest attempt at its batch refused.
create or replace view current_rejected_rows as
select
    r.batch_id, b.source, r.file_name, r.row_number, r.column_name, r.value, r.reason, r.detail, r.question, r.item,
    r.rater, r.attempt, r.rejected_at, r.n_rows
from rejected_rows as r inner join batches as b using (batch_id, attempt);

comment on view current_rejected_rows is
    'One row per annotation that the latest attempt at its batch refused (see n_rows); rejected_rows has earlier attempts, too.';
comment on column current_rejected_rows.source is 'The configured source that it came from.';
comment on column current_rejected_rows.item is 'The item of the row; null where it could not be read so far.';
comment on column current_rejected_rows.rater is 'The rater of the row; null where it could not be read so far.';
comment on column current_rejected_rows.attempt is 'The attempt that refused it.';
comment on column current_rejected_rows.n_rows is
    'How many rows this row counts for: 1, or more for the remaining rows of a file of a dataset.';

-- Further attempts at a batch, deletions that a full export shows, and what a rejected row is about.
alter table batches add column n_deleted bigint default 0;
alter table batches add column full_export boolean default false;
alter table batches add column file_modified_at timestamptz;
comment on column batches.attempt is
    'How many times the batch was taken in: above 1 after a refused file, or one with rejected rows, was read again.';
comment on column batches.n_deleted is
    'Ratings in force that the batch marked as deleted: its source''s earlier files had them, this full export has not.';
comment on column batches.full_export is 'Whether its source was declared to send full exports.';
comment on column batches.file_modified_at is 'When the file was last written (UTC), as its folder tells.';

alter table rejected_rows add column question varchar;
alter table rejected_rows add column item varchar;
alter table rejected_rows add column rater varchar;
comment on column rejected_rows.question is 'The question of the row; null where it could not be read so far.';
comment on column rejected_rows.item is 'The item of the row, cut at 200 characters; null where it could not be read so far.';
comment on column rejected_rows.rater is 'The rater of the row, cut at 200 characters; null where it could not be read so far.';

create table internal.arrivals (batch_no integer not null, arrived_at timestamptz not null);
insert into internal.arrivals
select i.batch_no, b.ingested_at
from batches as b inner join internal.batches as i using (batch_id);
comment on table internal.arrivals is
    'One row per batch: when its first attempt was made. A rating without a time counts from then, whichever attempt took it in.';

alter table internal.ratings add column deleted_by integer;
alter table internal.ratings add column withdrawn_at timestamptz;
alter table internal.ratings add column restores bigint;
comment on table internal.ratings is
    'One row per version of a rating. Only superseded_at, the deletion, withdrawn_at and rater_kind ever change.';
comment on column internal.ratings.deleted_by is 'The batch, a full export, that showed the deletion.';
comment on column internal.ratings.withdrawn_at is
    'When a further attempt at the batch read the row otherwise; deleted_at is set then too.';
comment on column internal.ratings.restores is
    'The version that this row puts back in force, after the one that had superseded it was withdrawn.';

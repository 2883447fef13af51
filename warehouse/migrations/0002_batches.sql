-- What came in, and what did not: both are public.
create table batches (
    batch_id varchar not null,
    source varchar,
    file_name varchar,
    sha256 varchar,
    reader varchar,
    status varchar not null check (status in ('stored', 'rejected')),
    reason varchar,
    detail varchar,
    attempt integer not null,
    settings_hash varchar,
    n_rows bigint not null,
    n_ratings bigint not null,
    n_unchanged bigint not null,
    n_skipped bigint not null,
    n_rejected bigint not null,
    started_at timestamptz,
    ingested_at timestamptz not null
);
comment on table batches is
    'One row per batch: a file, or a page of a live source. n_rows = n_ratings + n_unchanged + n_skipped + n_rejected.';
comment on column batches.batch_id is 'Identity of the content: the same bytes read by the same reader are the same batch.';
comment on column batches.source is 'The configured source that the batch came from.';
comment on column batches.file_name is 'Name of the file as it arrived.';
comment on column batches.sha256 is 'SHA-256 of the file''s bytes, in hexadecimal.';
comment on column batches.reader is 'The export format that read it.';
comment on column batches.status is 'stored, or rejected when the whole file could not be read.';
comment on column batches.reason is 'Code of the reason when rejected.';
comment on column batches.detail is 'The reason in a sentence.';
comment on column batches.attempt is 'How many times the batch was taken in: above 1 after a rejected file was read with other settings.';
comment on column batches.settings_hash is 'Hash of the settings that it was read with.';
comment on column batches.n_rows is 'Annotations found in the file.';
comment on column batches.n_ratings is 'Annotations stored as new ratings, or as new versions of known ones.';
comment on column batches.n_unchanged is 'Annotations that the warehouse already knew.';
comment on column batches.n_skipped is 'Annotations where the annotator skipped.';
comment on column batches.n_rejected is 'Annotations refused; rejected_rows tells each one and why.';
comment on column batches.started_at is 'When reading began (UTC).';
comment on column batches.ingested_at is 'When the batch entered the warehouse (UTC).';

create table rejected_rows (
    batch_id varchar not null,
    file_name varchar,
    row_number bigint,
    column_name varchar,
    value varchar,
    reason varchar,
    detail varchar,
    attempt integer not null,
    rejected_at timestamptz not null
);
comment on table rejected_rows is 'One row per refused annotation and attempt.';
comment on column rejected_rows.batch_id is 'The batch it came in.';
comment on column rejected_rows.file_name is 'Name of the file as it arrived.';
comment on column rejected_rows.row_number is 'Row, line or task in the file, counted from 1; null when it concerns the whole file.';
comment on column rejected_rows.column_name is 'The column at fault.';
comment on column rejected_rows.value is 'The value found, cut at 200 characters.';
comment on column rejected_rows.reason is 'Code of the reason.';
comment on column rejected_rows.detail is 'The reason in a sentence.';
comment on column rejected_rows.attempt is 'The attempt of the batch that refused it.';
comment on column rejected_rows.rejected_at is 'When it was refused (UTC).';

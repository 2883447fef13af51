-- Datasets: files that cannot be read, versions of Delta tables, and the range of the items in each file.
create table internal.dataset_unreadable (
    source varchar not null,
    file_name varchar not null,
    size bigint not null,
    modified_ns bigint not null,
    detail varchar not null
);
comment on table internal.dataset_unreadable is
    'Private. One row per file of a dataset that cannot be read. It is left out until it changes.';
comment on column internal.dataset_unreadable.source is 'The configured source.';
comment on column internal.dataset_unreadable.file_name is 'Path of the file within the dataset.';
comment on column internal.dataset_unreadable.size is 'Its size in bytes.';
comment on column internal.dataset_unreadable.modified_ns is 'When it was written: nanoseconds since 1970 (UTC).';
comment on column internal.dataset_unreadable.detail is 'Why it cannot be read.';

create table internal.dataset_versions (source varchar not null, version bigint not null, counted_at timestamptz not null);
comment on table internal.dataset_versions is 'Private. One row per version of a Delta table that was counted.';
comment on column internal.dataset_versions.source is 'The configured source.';
comment on column internal.dataset_versions.version is 'The version in the log of the table.';
comment on column internal.dataset_versions.counted_at is 'When its counts were stored.';

alter table internal.dataset_files add column first_item varchar;
comment on column internal.dataset_files.first_item is
    'The lowest item in the file, in the order of the bytes; null: not known, and the file may have any item.';
alter table internal.dataset_files add column last_item varchar;
comment on column internal.dataset_files.last_item is 'The highest item in the file.';

-- Datasets: ratings that stay in their files. Only their counts are stored, in the tables of the patterns.
create table internal.datasets (source varchar not null, settings_hash varchar not null);
comment on table internal.datasets is 'Private. One row per source of type dataset that was counted.';
comment on column internal.datasets.source is 'The configured source.';
comment on column internal.datasets.settings_hash is 'Hash of the settings that its ratings were counted with.';

create table internal.dataset_files (
    source varchar not null,
    file_name varchar not null,
    size bigint not null,
    modified_ns bigint not null,
    footer varchar not null,
    n_rows bigint not null,
    batch_no integer not null
);
comment on table internal.dataset_files is 'Private. One row per file of a dataset whose ratings are counted.';
comment on column internal.dataset_files.source is 'The configured source.';
comment on column internal.dataset_files.file_name is 'Path of the file within the dataset.';
comment on column internal.dataset_files.size is 'Its size in bytes.';
comment on column internal.dataset_files.modified_ns is 'When it was written: nanoseconds since 1970 (UTC).';
comment on column internal.dataset_files.footer is 'SHA-256 of its Parquet footer, in hexadecimal.';
comment on column internal.dataset_files.n_rows is 'Its rows.';
comment on column internal.dataset_files.batch_no is 'The batch with which it was first counted.';

create table internal.dataset_questions (question_id integer not null, source varchar not null);
comment on table internal.dataset_questions is
    'Private. One row per question whose ratings are in a dataset. internal.ratings has none of them.';
comment on column internal.dataset_questions.question_id is 'The question.';
comment on column internal.dataset_questions.source is 'The source that has its ratings.';

create table internal.dataset_last_items (
    question_id integer not null,
    item varchar not null,
    first_row bigint not null,
    pattern_id bigint not null,
    latest timestamptz not null
);
comment on table internal.dataset_last_items is
    'Private. One row per item of a dataset that people rated last; as many as the window of the last items needs.';
comment on column internal.dataset_last_items.question_id is 'The question.';
comment on column internal.dataset_last_items.item is 'The item.';
comment on column internal.dataset_last_items.first_row is 'Place of its first rating among all rows of the dataset.';
comment on column internal.dataset_last_items.pattern_id is 'Its pattern.';
comment on column internal.dataset_last_items.latest is 'Time of its latest human rating in force.';

alter table rejected_rows add column n_rows bigint default 1;
comment on column rejected_rows.n_rows is
    'Rows that this one stands for: 1, or more for the rest of a file of a dataset, of which only the first are listed.';
comment on table rejected_rows is
    'One row per refused annotation and attempt; of a file of a dataset the first ones of each reason, and one for the rest.';

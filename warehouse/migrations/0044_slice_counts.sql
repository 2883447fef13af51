-- Datasets: how many items of each slice have each pattern. The items themselves are in the files.
create table internal.slice_counts (
    question_id integer not null,
    key varchar not null,
    value varchar,
    pattern_id bigint not null,
    n_items bigint not null
);
comment on table internal.slice_counts is
    'Private. One row per question of a dataset, key of the slices, value and pattern.';
comment on column internal.slice_counts.question_id is 'The question.';
comment on column internal.slice_counts.key is 'The column of the dataset by which its items are sliced, such as language.';
comment on column internal.slice_counts.value is
    'Its value; null: items with several values in one file, which are in no slice.';
comment on column internal.slice_counts.pattern_id is 'The pattern.';
comment on column internal.slice_counts.n_items is 'Items with this value and pattern, 1 or more.';

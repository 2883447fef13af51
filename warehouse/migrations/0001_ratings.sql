-- Batches and ratings. Texts are kept once, in dictionaries under small integer keys: the facts stay narrow,
-- and no text key has to be checked on load (a text primary key costs twenty times more than the insert).
create table internal.questions (
    question_id integer not null,
    question varchar not null,
    revision bigint not null
);
comment on table internal.questions is 'One row per question. The name is unique; checks/ proves it.';
comment on column internal.questions.revision is 'Counts the batches that changed ratings of the question.';

create table internal.items (item_id integer not null, question_id integer not null, item varchar not null);
comment on table internal.items is 'One row per question and item: the same item text under two questions is two items.';

create table internal.raters (rater_id integer not null, rater varchar not null);
comment on table internal.raters is 'One row per rater name.';

create table internal.labels (label_id integer not null, label varchar not null);
comment on table internal.labels is 'One row per label text, shared by all questions.';

create table internal.batches (batch_no integer not null, batch_id varchar not null);
comment on table internal.batches is 'One row per batch: the number by which ratings point at it.';

create table internal.batch_questions (
    batch_no integer not null,
    question_id integer not null,
    n_ratings bigint not null,
    n_unchanged bigint not null
);
comment on table internal.batch_questions is 'One row per batch and question that the batch has ratings of.';

create type internal.rater_kind as enum ('human', 'system', 'gold');

create table internal.ratings (
    rating_id bigint not null,
    question_id integer not null,
    item_id integer not null,
    rater_id integer not null,
    rater_kind internal.rater_kind not null,
    system_version varchar,
    label_id integer not null,
    rated_at timestamptz,
    score double,
    duration_s double,
    batch_no integer not null,
    row_number bigint,
    source_ref varchar,
    ingested_at timestamptz not null,
    superseded_at timestamptz,
    deleted_at timestamptz
);
comment on table internal.ratings is
    'One row per version of a rating. Only superseded_at, deleted_at and rater_kind ever change.';

create table internal.item_metadata (item_id integer not null, key varchar not null, value varchar);
comment on table internal.item_metadata is 'One row per item and key; the value that arrived last.';

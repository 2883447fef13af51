-- One row per version of a rating: the whole history, superseded and deleted versions included.
create or replace view ratings as
select
    ratings.rating_id::varchar as rating_id,
    questions.question,
    items.item,
    raters.rater,
    coalesce(declared.rater_kind, ratings.rater_kind)::varchar as rater_kind,
    ratings.system_version,
    labels.label,
    ratings.rated_at,
    ratings.score,
    ratings.duration_s,
    batches.batch_id,
    ratings.row_number,
    ratings.source_ref,
    ratings.ingested_at,
    ratings.superseded_at,
    ratings.deleted_at,
    deleting.batch_id as deleted_by,
    file_raters.rater as name_in_file
from internal.ratings
inner join internal.questions using (question_id)
inner join internal.items using (item_id)
inner join internal.raters using (rater_id)
inner join internal.labels using (label_id)
inner join internal.batches using (batch_no)
left join internal.batches as deleting on ratings.deleted_by = deleting.batch_no
left join internal.raters as file_raters on ratings.file_rater_id = file_raters.rater_id
left join internal.declared_kinds as declared
    on ratings.question_id = declared.question_id and ratings.rater_id = declared.rater_id;

comment on view ratings is
    'One row per version of a rating, superseded and deleted ones included; current_ratings has those in force.';
comment on column ratings.rating_id is 'Identity of the version.';
comment on column ratings.question is 'The question that was asked.';
comment on column ratings.item is 'The item that was rated.';
comment on column ratings.rater is 'Who rated: a person, a system, or a gold standard.';
comment on column ratings.system_version is 'Version of the system, where the export tells it.';
comment on column ratings.label is 'The label given; a set of labels is a sorted JSON array.';
comment on column ratings.rated_at is 'When it was given (UTC); null where the export does not tell.';
comment on column ratings.score is 'The system''s own certainty, where the export tells it.';
comment on column ratings.duration_s is 'Seconds that the rater took.';
comment on column ratings.row_number is 'Row, line or task in the file, counted from 1.';
comment on column ratings.source_ref is 'The annotation tool''s own id of the annotation.';
comment on column ratings.superseded_at is 'When another version took its place (UTC); else null. A rating is in force while this and deleted_at are null.';
comment on column ratings.deleted_at is
    'When it was seen to be deleted at its source, or withdrawn because its file was read otherwise (UTC).';
comment on column ratings.deleted_by is
    'The batch, of a full export or a live source, that showed the deletion; null where the rating was withdrawn.';
comment on column ratings.name_in_file is
    'The name in the file, if it is an alias of the rater by [raters] of the settings; else null.';

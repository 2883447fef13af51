-- One row per version of a rating: the whole history, superseded and deleted versions included.
create or replace view ratings as
select
    r.rating_id::varchar as rating_id,
    q.question,
    i.item,
    a.rater,
    coalesce(d.rater_kind, r.rater_kind)::varchar as rater_kind,
    r.system_version,
    l.label,
    r.rated_at,
    r.score,
    r.duration_s,
    b.batch_id,
    r.row_number,
    r.source_ref,
    r.ingested_at,
    r.superseded_at,
    r.deleted_at,
    e.batch_id as deleted_by,
    f.rater as name_in_file
from internal.ratings as r
inner join internal.questions as q using (question_id)
inner join internal.items as i using (item_id)
inner join internal.raters as a using (rater_id)
inner join internal.labels as l using (label_id)
inner join internal.batches as b using (batch_no)
left join internal.batches as e on r.deleted_by = e.batch_no
left join internal.raters as f on r.file_rater_id = f.rater_id
left join internal.declared_kinds as d on r.question_id = d.question_id and r.rater_id = d.rater_id;

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
    'The batch, a full export, that showed the deletion; null where the rating was withdrawn.';
comment on column ratings.name_in_file is
    'The name in the file, if it is an alias of the rater by [raters] of the settings; else null.';

-- One row per question, item and rater: the rating in force.
create or replace view current_ratings as
select
    question, item, rater, rater_kind, system_version, label, rated_at, score, duration_s, batch_id, source_ref,
    ingested_at
from ratings
where superseded_at is null and deleted_at is null;

comment on view current_ratings is 'One row per question, item and rater: the rating in force.';
comment on column current_ratings.question is 'The question that was asked.';
comment on column current_ratings.item is 'The item that was rated.';
comment on column current_ratings.rater is 'Who rated: a person, a system, or a gold standard.';
comment on column current_ratings.rater_kind is 'human, system or gold.';
comment on column current_ratings.system_version is 'Version of the system, where the export tells it.';
comment on column current_ratings.label is 'The label given; a set of labels is a sorted JSON array.';
comment on column current_ratings.rated_at is 'When it was given (UTC); null where the export does not tell.';
comment on column current_ratings.score is 'The system''s own certainty, where the export tells it.';
comment on column current_ratings.duration_s is 'Seconds that the rater took.';
comment on column current_ratings.batch_id is 'The batch that brought it.';
comment on column current_ratings.source_ref is 'The annotation tool''s own id of the annotation.';

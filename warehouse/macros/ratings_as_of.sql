-- One row per item and rater of a question: the rating that was in force at a moment.
create or replace macro ratings_as_of(question, moment) as table
select
    r.question, r.item, r.rater, r.rater_kind, r.system_version, r.label, r.rated_at, r.score, r.duration_s, r.batch_id,
    r.source_ref, r.ingested_at
from ratings as r
where
    r.question = question and r.ingested_at <= moment::timestamptz
    and (r.superseded_at is null or r.superseded_at > moment::timestamptz)
    and (r.deleted_at is null or r.deleted_at > moment::timestamptz);

comment on macro table ratings_as_of is 'One row per item and rater: the rating that was in force at a moment. The kinds of raters are those that the settings declare now.
question: The question that was asked.
moment: The moment (a text without a time zone is taken as the session''s; kappaflow sql has UTC).
item: The item that was rated.
rater: Who rated: a person, a system, or a gold standard.
rater_kind: human, system or gold.
system_version: Version of the system, where the export tells it.
label: The label given; a set of labels is a sorted JSON array.
rated_at: When it was given (UTC); null where the export does not tell.
score: The system''s own certainty, where the export tells it.
duration_s: Seconds that the rater took.
batch_id: The batch that brought it.
source_ref: The annotation tool''s own id of the annotation.
ingested_at: When it entered the warehouse (UTC).';

-- One row per question, item and rater: the rating in force.
create or replace view current_ratings as
select
    question, item, rater, rater_kind, system_version, label, rated_at, score, duration_s, batch_id, source_ref,
    ingested_at
from ratings
where superseded_at is null and deleted_at is null;

comment on view current_ratings is 'One row per question, item and rater: the rating in force.';
comment on column current_ratings.rater_kind is 'human, system or gold.';

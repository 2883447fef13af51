-- A further attempt at a stored batch. Ratings that the file no longer has, or has otherwise now, are withdrawn. Step 09
-- then restores older ones. `kept`: the ratings of the batch that the file has unchanged. `removed`: the others.
-- Reads: internal.ratings, staged
-- Writes: internal.ratings, kept, mine, removed
create or replace temp table mine as
select
    rating_id, item_id, rater_id, label_id, rater_kind, system_version, rated_at, score, duration_s, row_number,
    source_ref
from internal.ratings
where batch_no = $batch_no and withdrawn_at is null and restores is null;

create or replace temp table kept as
select m.rating_id, s.arrival
from mine as m inner join staged as s
    on m.item_id = s.item_id and m.rater_id = s.rater_id and m.label_id = s.label_id
    and m.rater_kind::varchar = s.rater_kind and m.system_version is not distinct from s.system_version
    and m.rated_at is not distinct from s.rated_at and m.score is not distinct from s.score
    and m.duration_s is not distinct from s.duration_s and m.row_number is not distinct from s.row_number
    and m.source_ref is not distinct from s.source_ref;

create or replace temp table removed as
select rating_id, item_id, rater_id
from mine
where rating_id not in (select rating_id from kept);

update internal.ratings
set withdrawn_at = $now, deleted_at = coalesce(deleted_at, $now)
where
    withdrawn_at is null
    and (rating_id in (select rating_id from removed) or restores in (select rating_id from removed));

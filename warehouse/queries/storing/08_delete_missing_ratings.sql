-- A full export has every rating of its questions. A rating that earlier files of the same source brought and that this
-- file lacks is deleted, with all its versions. Where a rating of another source has replaced it, that one stays, but the
-- replaced ones must not come back when it is withdrawn. A rejected row protects the rating that it would have repeated
-- or replaced.
-- Reads: batches, incoming_rejects, internal.batches, internal.items, internal.questions, internal.raters,
-- internal.ratings, staged
-- Writes: internal.ratings, vanished
create or replace temp table vanished as
with present as (
    select item_id, rater_id from staged
    union
    select i.item_id, a.rater_id
    from incoming_rejects as r
    inner join internal.questions as q using (question)
    inner join internal.items as i on q.question_id = i.question_id and r.item = i.item
    inner join internal.raters as a using (rater)
),

of_source as (
    select i.batch_no
    from batches as b inner join internal.batches as i using (batch_id)
    where b.source = $source
)

select r.rating_id, r.item_id, r.rater_id, r.superseded_at is null as in_force
from internal.ratings as r anti join present using (item_id, rater_id)
where
    r.deleted_at is null and r.batch_no in (select batch_no from of_source)
    and r.question_id in (select question_id from staged);

update internal.ratings
set deleted_at = $now, deleted_by = $batch_no
where
    deleted_at is null
    and (
        (item_id, rater_id) in (select (item_id, rater_id) from vanished where in_force)
        or rating_id in (select rating_id from vanished)
    );

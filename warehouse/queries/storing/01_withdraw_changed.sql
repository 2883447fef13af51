-- A further attempt at a stored batch. Ratings that the file no longer has, or has otherwise now, are withdrawn. Where
-- that leaves an item and rater without a rating in force, that of the other versions which the question's rule chooses
-- (see step 06; wrong dates are not looked for) comes back as a new row. `kept`: the ratings of the batch that the file
-- has unchanged.
-- Reads: incoming_rules, internal.arrivals, internal.questions, internal.ratings, staged
-- Writes: internal.ratings, kept, mine, withdrawn
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

create or replace temp table withdrawn as
select rating_id, item_id, rater_id
from mine
where rating_id not in (select rating_id from kept);

update internal.ratings
set withdrawn_at = $now, deleted_at = coalesce(deleted_at, $now)
where
    withdrawn_at is null
    and (rating_id in (select rating_id from withdrawn) or restores in (select rating_id from withdrawn));

-- `returning` stops DuckDB 2.0.0 from inserting in parallel. After a parallel insert of no rows, the rest of the
-- transaction does not see a large insert into the same table.
insert into internal.ratings by name
with bereft as (
    select item_id, rater_id from withdrawn
    except
    select item_id, rater_id from internal.ratings where superseded_at is null and deleted_at is null
)

select
    old.* replace (
        (select max(rating_id) from internal.ratings) + row_number() over (order by old.rating_id) as rating_id,
        $now::timestamptz as ingested_at, null as superseded_at, coalesce(old.restores, old.rating_id) as restores
    )
from internal.ratings as old
inner join internal.arrivals as a using (batch_no)
inner join internal.questions as q using (question_id)
left join incoming_rules as i using (question)
semi join bereft using (item_id, rater_id)
where old.deleted_at is null
qualify row_number() over (
    partition by old.item_id, old.rater_id
    order by
        if(i.rule = 'first', -1, 1) * epoch_us(least(coalesce(old.rated_at, a.arrived_at), a.arrived_at)) desc,
        if(i.rule = 'first', -1, 1) * epoch_us(coalesce(old.rated_at, a.arrived_at)) desc,
        if(i.rule = 'first', -1, 1) * epoch_us(a.arrived_at) desc, if(i.rule = 'first', -1, 1) * old.rating_id desc
) = 1
returning rating_id;

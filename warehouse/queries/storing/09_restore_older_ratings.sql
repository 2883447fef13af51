-- Where a step has removed the rating in force of an item and rater, one of their other versions comes back as a new row:
-- the one that the question's rule chooses (see step 06; wrong dates are not looked for). This runs after step 01, and
-- after step 07 for what step 03 removed, because a new answer in the batch takes precedence.
-- Reads: incoming_rules, internal.arrivals, internal.questions, internal.ratings, removed
-- Writes: internal.ratings
-- `returning` stops DuckDB 2.0.0 from inserting in parallel. After a parallel insert of no rows, the rest of the
-- transaction does not see a large insert into the same table.
insert into internal.ratings by name
with unrated as (
    select item_id, rater_id
    from internal.ratings semi join removed using (item_id, rater_id)
    where deleted_at is null
    group by item_id, rater_id
    having count(*) filter (where superseded_at is null) = 0
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
semi join unrated using (item_id, rater_id)
where old.deleted_at is null
qualify row_number() over (
    partition by old.item_id, old.rater_id
    order by
        if(i.rule = 'first', -1, 1) * epoch_us(least(coalesce(old.rated_at, a.arrived_at), a.arrived_at)) desc,
        if(i.rule = 'first', -1, 1) * epoch_us(coalesce(old.rated_at, a.arrived_at)) desc,
        if(i.rule = 'first', -1, 1) * epoch_us(a.arrived_at) desc, if(i.rule = 'first', -1, 1) * old.rating_id desc
) = 1
returning rating_id;

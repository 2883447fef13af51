-- Step 03 may have deleted the answer in force while the tool still has older ones by the same rater. That of them which
-- the question's rule chooses (see step 06; wrong dates are not looked for) comes back into force as a new row. This runs
-- after step 07, because a new answer in the batch takes precedence.
-- Reads: gone, incoming_rules, internal.arrivals, internal.questions, internal.ratings
-- Writes: internal.ratings
insert into internal.ratings by name
with bereft as (
    select item_id, rater_id
    from internal.ratings semi join gone using (item_id, rater_id)
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
semi join bereft using (item_id, rater_id)
where old.deleted_at is null
qualify row_number() over (
    partition by old.item_id, old.rater_id
    order by
        if(i.rule = 'first', -1, 1) * epoch_us(least(coalesce(old.rated_at, a.arrived_at), a.arrived_at)) desc,
        if(i.rule = 'first', -1, 1) * epoch_us(coalesce(old.rated_at, a.arrived_at)) desc,
        if(i.rule = 'first', -1, 1) * epoch_us(a.arrived_at) desc, if(i.rule = 'first', -1, 1) * old.rating_id desc
) = 1;

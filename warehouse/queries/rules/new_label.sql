-- The first day of each label of the questions of `incoming_limits` (question, value in seconds), the first and the last
-- day of the question, and the items that have the label. A human rating counts on its own day: an item that people
-- rate again later makes none of its labels new. What systems, gold and datasets say counts on the day of the item's
-- latest human rating. Days after the last arrival (wrong dates) do not count.
with last_day as (
    select (max(ingested_at) at time zone (select timezone from internal.project_time))::date as day
    from batches
),

questions_due as (
    select q.question_id, l.question, l.value as threshold
    from incoming_limits as l inner join internal.questions as q using (question)
),

days as (
    select q.question_id, c.day, c.pattern_id, c.n_items
    from questions_due as q inner join internal.pattern_counts as c using (question_id)
    where c.day <= (from last_day)
),

by_item as (
    select d.question_id, r.label_id, min(d.day) as label_day, sum(d.n_items)::bigint as n_items
    from days as d
    inner join (select distinct pattern_id, label_id from internal.pattern_ratings) as r using (pattern_id)
    group by d.question_id, r.label_id
),

by_rating as (
    select
        r.question_id, r.label_id,
        (min(coalesce(r.rated_at, r.ingested_at)) at time zone (select timezone from internal.project_time))::date
            as label_day
    from internal.ratings as r left join internal.declared_kinds as k using (question_id, rater_id)
    where
        r.question_id in (select question_id from questions_due) and r.superseded_at is null and r.deleted_at is null
        and coalesce(k.rater_kind, r.rater_kind) = 'human'
    group by r.question_id, r.label_id
),

labels as (
    select i.question_id, i.label_id, least(i.label_day, r.label_day) as label_day, i.n_items
    from by_item as i left join by_rating as r using (question_id, label_id)
),

spans as (
    select question_id, max(day) as last_day
    from days
    group by question_id
)

select
    q.question, q.threshold, n.label, b.label_day, b.n_items,
    min(b.label_day) over (partition by b.question_id) as first_day, s.last_day
from labels as b
inner join questions_due as q using (question_id)
inner join spans as s using (question_id)
inner join internal.labels as n using (label_id)
qualify b.label_day > first_day
order by q.question, n.label;

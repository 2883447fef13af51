-- The first day of each label of the questions of `incoming_limits` (question, value in seconds), the first and the last
-- day of the question, and the items that have the label. Days are those of the items' latest human rating.
-- Days after the last arrival (wrong dates) do not count.
with last_day as (
    select (max(ingested_at) at time zone (select timezone from internal.project_time))::date as day
    from batches
),

days as (
    select l.question, l.value as threshold, c.day, c.pattern_id, c.n_items
    from incoming_limits as l
    inner join internal.questions as q using (question)
    inner join internal.pattern_counts as c using (question_id)
    where c.day <= (from last_day)
),

spans as (
    select question, min(day) as first_day, max(day) as last_day
    from days
    group by question
),

labels as (
    select d.question, d.threshold, r.label_id, min(d.day) as label_day, sum(d.n_items)::bigint as n_items
    from days as d
    inner join (select distinct pattern_id, label_id from internal.pattern_ratings) as r using (pattern_id)
    group by d.question, d.threshold, r.label_id
)

select b.question, b.threshold, n.label, b.label_day, b.n_items, s.first_day, s.last_day
from labels as b
inner join spans as s using (question)
inner join internal.labels as n using (label_id)
where b.label_day > s.first_day
order by b.question, n.label;

-- How far raters agree on each item of a question, up to the day $until: spans, boxes, rankings or texts, by the
-- coefficient that stands for them. An item counts on the day of its latest human work. Of a question with several such
-- coefficients the first of $coefficients that it has.
with zone as (select timezone from internal.project_time),

days as (
    select item, (max(coalesce(rated_at, ingested_at)) at time zone (select timezone from zone))::date as day
    from region_work
    where question = $question and is_current and rater_kind = 'human'
    group by item
),

figures as (
    select item, coefficient, sum("value") as "value", sum(weight) as weight
    from item_distances
    where question = $question and coefficient in (select unnest($coefficients::varchar[]))
    group by item, coefficient
    having sum(weight) > 0
)

select f.coefficient, d.day, f.item, f."value", f.weight
from figures as f inner join days as d using (item)
where d.day <= $until
qualify dense_rank() over (order by list_position($coefficients::varchar[], f.coefficient)) = 1
order by d.day, f.item;

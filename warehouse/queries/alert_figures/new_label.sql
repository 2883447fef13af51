-- The first rating with each label of the question of an alert, the latest first. Of a dataset: the day of its item.
with rated as (
    select question, label, coalesce(rated_at, ingested_at) as rated_at, 1 as n_ratings
    from current_ratings
    union all
    select question, label, day as rated_at, n_ratings
    from dataset_ratings
)
select label, min(rated_at) as first_at, sum(n_ratings)::bigint as n_ratings
from rated
where question = (select question from alerts where alert_id = $alert_id)
group by label
order by first_at desc

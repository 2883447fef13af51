-- The last rating of each annotator of the question of an alert. Of a dataset: the day of its item.
with rated as (
    select question, rater, rater_kind, coalesce(rated_at, ingested_at) as rated_at, 1 as n_ratings
    from current_ratings
    union all
    select question, rater, rater_kind, day as rated_at, n_ratings
    from dataset_ratings
    union all
    select question, rater, rater_kind, coalesce(rated_at, ingested_at) as rated_at, 1 as n_ratings
    from region_work
    where is_current
)
select rater, max(rated_at) as last_at, sum(n_ratings)::bigint as n_ratings
from rated
where rater_kind = 'human' and question = (select question from alerts where alert_id = $alert_id)
group by rater
order by last_at

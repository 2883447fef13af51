-- The first rating with each label of the question of an alert, the latest first.
select label, min(coalesce(rated_at, ingested_at)) as first_at, count(*) as n_ratings
from current_ratings
where question = (select question from alerts where alert_id = $alert_id)
group by label
order by first_at desc

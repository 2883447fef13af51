-- The last rating of each annotator of the question of an alert.
select rater, max(coalesce(rated_at, ingested_at)) as last_at, count(*) as n_ratings
from current_ratings
where rater_kind = 'human' and question = (select question from alerts where alert_id = $alert_id)
group by rater
order by last_at

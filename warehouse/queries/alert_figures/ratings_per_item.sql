-- The items of the question of an alert, those with the fewest human ratings first.
select item, count(*) as n_ratings
from current_ratings
where rater_kind = 'human' and question = (select question from alerts where alert_id = $alert_id)
group by item
order by n_ratings

-- The raters of the question of an alert that rated gold items.
select *
from rater_leaderboard
where n_gold > 0 and question = (select question from alerts where alert_id = $alert_id)

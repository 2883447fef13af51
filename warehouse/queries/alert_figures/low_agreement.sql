-- The agreement over all ratings of the question of an alert; of spans, boxes, rankings or texts that of all raters.
select scope, coefficient, weights, estimate, low, high, n_items, n_raters, reason
from latest_agreement
where period = 'all' and question = (select question from alerts where alert_id = $alert_id)
union all
select coalesce(label, 'all') as scope, coefficient, null as weights, estimate, low, high, n_items, n_raters, reason
from latest_region_agreement
where rater_a is null and question = (select question from alerts where alert_id = $alert_id)

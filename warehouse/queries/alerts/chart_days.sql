-- The days of the chart behind an alert, around the change: the label is that of the alert, else all.
select c.day, c.label, c.n_items, c.value, c.low, c.high, c.statistic, c.threshold, c.is_reference
from alerts as a
inner join charts as c
    on
        a.question = c.question and a.kind = c.chart
        and (a.subject is not distinct from c.subject or a.kind = 'labels')
        and (a.label is null or a.label = c.label)
where a.alert_id = $alert_id and c.day >= a.changed_low - 5
order by c.day, c.label
limit 60;

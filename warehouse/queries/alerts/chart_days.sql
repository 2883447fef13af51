-- The days of the chart behind an alert, from shortly before the change to its detection: of the alert's label, else of
-- all labels.
select c.day, c.label, c.n_items, c.value, c.low, c.high, c.statistic, c.threshold, c.is_reference
from alerts as a
inner join charts as c
    on
        a.question = c.question and a.kind = c.chart
        and (a.subject is not distinct from c.subject or a.kind = 'labels')
        and (a.label is null or a.label = c.label)
where a.alert_id = $alert_id and c.day between a.changed_low - 5 and a.detected_on
order by c.day, c.label
limit 60;

-- The days of the chart behind an alert, the latest first.
select c.*
from charts as c
inner join alerts as a
    on a.question = c.question and a.kind = c.chart and (a.subject is not distinct from c.subject or a.kind = 'labels')
where a.alert_id = $alert_id and (a.label is null or c.label is null or a.label = c.label)
order by c.day desc, c.label
limit $n_rows;

-- The days of the chart behind an alert, the latest first; beside agreement the limit that the settings put on it.
select c.*, l.coefficient as limited, l.alert_below
from charts as c
inner join alerts as a
    on a.question = c.question and a.kind = c.chart and (a.subject is not distinct from c.subject or a.kind = 'labels')
left join (
    select question, any_value(coefficient) as coefficient, any_value(alert_below) as alert_below
    from latest_agreement
    where alert_below is not null
    group by question
) as l on c.question = l.question and c.chart = 'agreement'
where a.alert_id = $alert_id and (a.label is null or c.label is null or a.label = c.label)
order by c.day desc, c.label
limit $n_rows;

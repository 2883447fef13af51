-- One row per chart, subject, label and day: the charts behind the alerts of an incident.
create or replace macro incident_charts(incident) as table
select c.question, c.chart, c.subject, c.label, c.day, c.n_items, c.value, c.low, c.high, c.statistic, c.threshold,
    c.is_reference
from charts as c
where
    exists (
        select 1
        from alerts as a
        where
            a.incident_id = incident and a.question = c.question and a.kind = c.chart
            and (a.subject is not distinct from c.subject or a.kind = 'labels')
    )
order by c.chart, c.subject, c.label, c.day;

comment on macro table incident_charts is 'One row per chart, subject, label and day: the charts behind the alerts of an incident, by day.
incident: incident_id of the alerts, as their message tells it.
question: The question.
chart: Kind of the chart.
subject: The rater or system; the label of a label chart; null for agreement.
label: The label of the series, null where it has none.
day: Day of the latest human rating of the items, in the project''s time zone.
n_items: Items of the day that were scored.
value: Mean score of the day, as in the view charts.
low: Lower end of its 95 % interval.
high: Upper end of it.
statistic: Evidence for a lasting change.
threshold: The statistic at which an alarm opens.
is_reference: Whether the day belongs to the reference.';

-- One row per question, chart, subject, label and day: the control charts.
create or replace view charts as
select q.question, c.chart, c.subject, c.label, c.day, c.n_items, c.value, c.low, c.high, c.statistic, c.threshold,
    c.is_reference
from internal.chart_points as c inner join internal.questions as q using (question_id);
comment on view charts is
    'Control charts: one row per question, chart, subject, label and day. An alarm opens where statistic >= threshold.';
comment on column charts.chart is
    'agreement, labels, rater, rater_labels, rater_speed or system.';
comment on column charts.subject is 'The rater or system; the label of a label chart; null for agreement.';
comment on column charts.label is 'The label of the series, null where it has none.';
comment on column charts.day is 'Day of the latest human rating of the items, in the project''s time zone.';
comment on column charts.n_items is 'Items of the day that were scored.';
comment on column charts.value is
    'Mean score of the day. Agreement: the coefficient, linearised at the reference. Labels: share. Rater: agreement with
the others minus the others'' agreement. Rater_labels: share minus that of the others. Rater_speed: share of fast ratings.
System: accuracy by the model of the reference.';
comment on column charts.low is 'Lower end of the 95 % interval of the value, items of a day being alike. It is cut at the lowest possible value.';
comment on column charts.high is 'Upper end of it, cut at the highest possible value.';
comment on column charts.statistic is 'Evidence for a lasting change, shared by the labels of a chart. 0 in the reference.';
comment on column charts.threshold is 'The statistic at which an alarm opens.';
comment on column charts.is_reference is 'Whether the day belongs to the reference that the others are compared with.';

-- Control charts: what they were computed with, their sums by day, their points, and alerts with their incidents. All
-- but the alerts can be computed again from the counts by day.
create table internal.chart_states (
    question_id integer not null,
    revision bigint not null,
    charted_until date not null,
    settings varchar not null,
    n_accepted bigint not null,
    sections json not null
);
comment on table internal.chart_states is 'Private. One row per question that has charts: what they were computed with.';
comment on column internal.chart_states.question_id is 'The question.';
comment on column internal.chart_states.revision is 'Revision of the question whose days the charts show.';
comment on column internal.chart_states.charted_until is 'Last day that was closed when the charts were computed.';
comment on column internal.chart_states.settings is 'Settings that the charts were computed with, as JSON.';
comment on column internal.chart_states.n_accepted is 'Changes of the question that had been accepted by then.';
comment on column internal.chart_states.sections is
    'One entry per reference: the charts it serves and all that their scores take from it.';

create table internal.chart_sums (
    question_id integer not null,
    section varchar not null,
    chart varchar not null,
    subject varchar,
    label varchar,
    day date not null,
    n_items bigint not null,
    score_sum bigint not null
);
comment on table internal.chart_sums is 'Private. One row per question, section, series and day: sums of scores.';
comment on column internal.chart_sums.question_id is 'The question.';
comment on column internal.chart_sums.section is 'The section of chart_states whose reference the scores were made with.';
comment on column internal.chart_sums.chart is 'Kind of the chart.';
comment on column internal.chart_sums.subject is 'The rater or system; null for agreement and labels.';
comment on column internal.chart_sums.label is 'The label of the series, null where it has none.';
comment on column internal.chart_sums.day is 'The day.';
comment on column internal.chart_sums.n_items is 'Items that were scored.';
comment on column internal.chart_sums.score_sum is 'Sum of their scores, in whole 1e-6.';

create table internal.version_sums (
    question_id integer not null,
    section varchar not null,
    system varchar not null,
    version varchar not null,
    day date not null,
    n_items bigint not null,
    score_sum bigint not null,
    centred_sum double not null,
    centred_squares double not null
);
comment on table internal.version_sums is 'Private. One row per question, section, system, version and day.';
comment on column internal.version_sums.question_id is 'The question.';
comment on column internal.version_sums.section is 'The section whose reference the scores were made with.';
comment on column internal.version_sums.system is 'The system.';
comment on column internal.version_sums.version is 'Its version.';
comment on column internal.version_sums.day is 'The day.';
comment on column internal.version_sums.n_items is 'Items that this version answered and that were scored.';
comment on column internal.version_sums.score_sum is 'Sum of their scores, in whole 1e-6.';
comment on column internal.version_sums.centred_sum is 'Sum of score - 0.5, not rounded.';
comment on column internal.version_sums.centred_squares is 'Sum of (score - 0.5) squared, not rounded.';

create table internal.chart_points (
    question_id integer not null,
    chart varchar not null,
    subject varchar,
    label varchar,
    day date not null,
    n_items bigint not null,
    value double not null,
    low double not null,
    high double not null,
    statistic double not null,
    threshold double not null,
    is_reference boolean not null
);
comment on table internal.chart_points is 'Private. One row per question, series and day; the view charts shows them.';
comment on column internal.chart_points.question_id is 'The question.';
comment on column internal.chart_points.chart is 'Kind of the chart.';
comment on column internal.chart_points.subject is 'The rater or system; the label of a label chart; null for agreement.';
comment on column internal.chart_points.label is 'The label of the series, null where it has none.';
comment on column internal.chart_points.day is 'The day.';
comment on column internal.chart_points.n_items is 'Items that were scored.';
comment on column internal.chart_points.value is 'Mean score of the day.';
comment on column internal.chart_points.low is 'Lower end of its 95 % interval.';
comment on column internal.chart_points.high is 'Upper end of its 95 % interval.';
comment on column internal.chart_points.statistic is 'Statistic of the group of charts.';
comment on column internal.chart_points.threshold is 'The statistic at which an alarm opens.';
comment on column internal.chart_points.is_reference is 'Whether the day belongs to the reference.';

create table missing_charts (
    question varchar not null,
    chart varchar not null,
    subject varchar,
    reason varchar not null,
    detail varchar not null
);
comment on table missing_charts is 'One row per chart that cannot be drawn at present, with the reason.';
comment on column missing_charts.question is 'The question.';
comment on column missing_charts.chart is 'Kind of the chart.';
comment on column missing_charts.subject is 'The rater or system; null for agreement and labels.';
comment on column missing_charts.reason is 'Code of the reason.';
comment on column missing_charts.detail is 'The reason in a sentence.';

create table version_comparisons (
    question varchar not null,
    system varchar not null,
    old_version varchar not null,
    version varchar not null,
    first_day date not null,
    decided_on date not null,
    n_before bigint not null,
    n_after bigint not null,
    verdict varchar,
    before double,
    after double,
    difference double,
    se double,
    e double,
    reason varchar,
    detail varchar
);
comment on table version_comparisons is
    'One row per question, system and version that followed another one: whether the new version is worse or better.';
comment on column version_comparisons.question is 'The question.';
comment on column version_comparisons.system is 'The system.';
comment on column version_comparisons.old_version is 'The version before.';
comment on column version_comparisons.version is 'The new version.';
comment on column version_comparisons.first_day is 'First day with items of the new version.';
comment on column version_comparisons.decided_on is 'Day of the verdict, else the last day of the new version.';
comment on column version_comparisons.n_before is 'Items of the old version up to that day.';
comment on column version_comparisons.n_after is 'Items of the new version up to that day.';
comment on column version_comparisons.verdict is 'worse, better, or null while the evidence does not decide.';
comment on column version_comparisons.before is 'Mean score of the old version: its accuracy by the frozen model.';
comment on column version_comparisons.after is 'Mean score of the new version.';
comment on column version_comparisons.difference is 'after - before.';
comment on column version_comparisons.se is 'Its standard error.';
comment on column version_comparisons.e is 'The evidence; 40 or more decides.';
comment on column version_comparisons.reason is 'Code of the reason where the figures are null.';
comment on column version_comparisons.detail is 'The reason in a sentence.';

create table accepted_changes (
    question varchar not null,
    kind varchar not null,
    subject varchar,
    changed_on date not null,
    accepted_at timestamptz not null,
    accepted_by varchar,
    alert_id varchar not null
);
comment on table accepted_changes is
    'One row per change that somebody accepted as the new normal: its chart has a new reference from that day.';
comment on column accepted_changes.question is 'The question.';
comment on column accepted_changes.kind is 'Kind of the chart.';
comment on column accepted_changes.subject is 'The rater, system or label of the alert; null for agreement.';
comment on column accepted_changes.changed_on is 'The day on which the new reference begins.';
comment on column accepted_changes.accepted_at is 'When it was accepted (UTC).';
comment on column accepted_changes.accepted_by is 'Who accepted it.';
comment on column accepted_changes.alert_id is 'The alert that was accepted.';

alter table alerts add column subject varchar;
alter table alerts add column changed_on date;
alter table alerts add column changed_low date;
alter table alerts add column changed_high date;
alter table alerts add column detected_on date;
alter table alerts add column before double;
alter table alerts add column after double;
alter table alerts add column n_items bigint;
alter table alerts add column acknowledged_by varchar;
alter table alerts add column closed_because varchar;
alter table alerts add column incident_id varchar;
alter table alerts add column owner varchar;
comment on table alerts is
    'One row per alert. A question has at most one open alert (closed_at is null) of a kind and subject.';
comment on column alerts.kind is
    'agreement, labels, rater, rater_labels, rater_speed, system, version: a chart. Other names: a rule.';
comment on column alerts.severity is 'warning or critical.';
comment on column alerts.opened_at is 'When a run found it (UTC).';
comment on column alerts.evidence is 'The figures behind it: of a chart as of its opening, of a rule as last seen.';
comment on column alerts.subject is
    'The rater or system; for labels the label that contributes most; null where the whole question is meant.';
comment on column alerts.changed_on is 'The most probable first day of the change; null for a rule.';
comment on column alerts.changed_low is 'Start of the 90 % interval of that day.';
comment on column alerts.changed_high is 'End of it.';
comment on column alerts.detected_on is 'The day on which the chart reached its threshold.';
comment on column alerts.before is 'The figure before the change.';
comment on column alerts.after is 'The figure since, up to the day on which it was detected.';
comment on column alerts.n_items is 'Items from the change to that day.';
comment on column alerts.acknowledged_by is 'Who took note of it.';
comment on column alerts.closed_because is
    'recovered: the old level is back. revised: corrected data no longer show it. accepted: it is the new normal.
replaced: a newer version answers. closed: by hand. Null while open.';
comment on column alerts.incident_id is 'Alerts of one cause share it.';
comment on column alerts.owner is 'Who is to look at it, by the settings.';
update alerts set incident_id = alert_id, closed_because = case when closed_at is not null then 'recovered' end;

create table messages (
    message_id varchar not null,
    incident_id varchar not null,
    question varchar not null,
    event varchar not null,
    alert_ids varchar[] not null,
    channel varchar not null,
    digest_id varchar,
    run_id varchar,
    written_at timestamptz not null,
    n_attempts integer not null,
    next_attempt_at timestamptz,
    sent_at timestamptz,
    error varchar
);
comment on table messages is
    'One row per incident, event and channel that is to be told. Written with the alert in one transaction, sent after.';
comment on column messages.message_id is 'Identity of the message: a receiver that saw it may drop a second one.';
comment on column messages.incident_id is 'The incident that it is about.';
comment on column messages.question is 'The question.';
comment on column messages.event is 'opened, closed or reminder.';
comment on column messages.alert_ids is 'The alerts that it tells of.';
comment on column messages.channel is 'Name of the channel: the variable that holds its address.';
comment on column messages.digest_id is
    'Messages that are sent as one share it. Null before the first attempt, and after the channel refused them.';
comment on column messages.run_id is 'The run that wrote it.';
comment on column messages.written_at is 'When it was written (UTC).';
comment on column messages.n_attempts is 'How often sending was tried and ended: it was taken, or it failed.';
comment on column messages.next_attempt_at is 'Not to be tried before (UTC); null once sent.';
comment on column messages.sent_at is 'When the channel took it (UTC); null until then.';
comment on column messages.error is 'What the channel answered last, where it did not take it.';

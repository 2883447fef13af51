-- One row per alert, with its state.
create or replace view alert_states as
select
    alert_id, incident_id, question, kind, subject, severity, owner,
    case
        when closed_at is not null then 'closed'
        when muted_until > now() then 'muted'
        when acknowledged_at is not null then 'acknowledged'
        else 'open'
    end as state,
    opened_at, changed_on, changed_low, changed_high, detected_on, before, after, n_items, label, acknowledged_at,
    acknowledged_by, muted_until, muted_by, closed_at, closed_by, closed_because, evidence, detail
from alerts;

comment on view alert_states is 'One row per alert, with its state: open, acknowledged, muted or closed.';
comment on column alert_states.alert_id is 'Identity of the alert.';
comment on column alert_states.incident_id is 'Identity of the incident. Alerts with one cause belong to one incident.';
comment on column alert_states.kind is 'The chart or the rule that found it.';
comment on column alert_states.subject is 'What it concerns, such as a rater, a label or a system; null for the whole question.';
comment on column alert_states.severity is 'warning or critical.';
comment on column alert_states.owner is 'Who should look at it, as the settings say.';
comment on column alert_states.state is
    'closed, muted (no messages for a time), acknowledged (somebody took note of it) or open: the first that holds. A muted or acknowledged alert is still open, and its closed_at is null.';
comment on column alert_states.opened_at is 'When it was first seen (UTC).';
comment on column alert_states.changed_on is 'The most probable day of the change; null for a rule.';
comment on column alert_states.changed_low is 'First day of the 90 % interval of changed_on.';
comment on column alert_states.changed_high is 'Last day of the 90 % interval of changed_on.';
comment on column alert_states.detected_on is 'The day on which the chart reached its threshold.';
comment on column alert_states.before is 'The figure before the change.';
comment on column alert_states.after is 'The figure from the day of the change to detected_on.';
comment on column alert_states.n_items is 'Items from the change to that day.';
comment on column alert_states.label is
    'For the kinds labels and rater_labels: the label that is now given more or less often.';
comment on column alert_states.acknowledged_at is 'When someone took note of it (UTC).';
comment on column alert_states.acknowledged_by is 'Who took note of it.';
comment on column alert_states.muted_until is
    'No message about it is sent before this time (UTC). Null if it was never muted.';
comment on column alert_states.muted_by is 'Who muted it, or kappaflow.toml.';
comment on column alert_states.closed_at is 'When it was closed (UTC).';
comment on column alert_states.closed_by is 'Who closed or accepted it; null where a run did.';
comment on column alert_states.closed_because is 'Why it was closed.';
comment on column alert_states.evidence is
    'The figures behind the alert, as JSON. For a chart: those at its opening. For a rule: those of the last run that checked it.';
comment on column alert_states.detail is 'What it means, in a sentence.';

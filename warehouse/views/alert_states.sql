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
comment on column alert_states.kind is 'The chart or the rule that found it.';
comment on column alert_states.subject is 'What it concerns, such as a rater, a label or a system; null for the whole question.';
comment on column alert_states.state is
    'closed, muted (no messages for a time), acknowledged (somebody took note of it) or open: the first that holds. A muted or acknowledged alert is still open, and its closed_at is null.';
comment on column alert_states.opened_at is 'When it was first seen (UTC).';
comment on column alert_states.changed_on is 'The most probable day of the change; null for a rule.';
comment on column alert_states.closed_at is 'When it was closed (UTC).';
comment on column alert_states.closed_because is 'Why it was closed.';

-- Alerts: opened and closed by the monitor.
create table alerts (
    alert_id varchar not null,
    question varchar not null,
    kind varchar not null,
    severity varchar,
    opened_at timestamptz not null,
    acknowledged_at timestamptz,
    closed_at timestamptz,
    evidence varchar,
    detail varchar
);
comment on table alerts is 'One row per alert. A question has at most one open alert (closed_at is null) of a kind.';
comment on column alerts.alert_id is 'Identity of the alert.';
comment on column alerts.question is 'The question.';
comment on column alerts.kind is 'What it warns of.';
comment on column alerts.severity is 'How grave it is.';
comment on column alerts.opened_at is 'When it was first seen (UTC).';
comment on column alerts.acknowledged_at is 'When someone took note of it (UTC).';
comment on column alerts.closed_at is 'When it no longer held (UTC); null while open.';
comment on column alerts.evidence is 'The figures behind it, as last seen.';
comment on column alerts.detail is 'What it means, in a sentence.';

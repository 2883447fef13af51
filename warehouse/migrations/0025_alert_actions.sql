-- What people do about alerts: who closed one, and until when one is muted. The label that an alert is about.
alter table alerts add column closed_by varchar;
alter table alerts add column recovered_at timestamptz;
alter table alerts add column muted_until timestamptz;
alter table alerts add column muted_by varchar;
alter table alerts add column label varchar;
comment on column alerts.closed_because is
    'recovered: the old level is back, or the limit is met again. revised: corrected data no longer show it. accepted: it is
the new normal. replaced: a newer version answers. Else closed, or what the person who closed it said. Null while open.';
comment on column alerts.closed_by is 'Who closed or accepted it; null where a run did.';
comment on column alerts.recovered_at is
    'Of a rule''s alert that somebody closed: when its condition no longer held. Until then the rule opens no new one.';
comment on column alerts.muted_until is 'No message about it is sent before (UTC); null if it was never muted.';
comment on column alerts.muted_by is 'Who muted it, or kappaflow.toml.';
comment on column alerts.label is 'The label that is given more or less often, of the kinds labels and rater_labels.';

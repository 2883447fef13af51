-- Samples for an audit that are drawn by strata, with as many items of each as there are.
alter table audits add column stratify_by varchar;
comment on column audits.design is
    'random: each item was as likely to be drawn as any other; stratified: as many items of each stratum.';
comment on column audits.stratify_by is 'The key of the items'' metadata whose values are the strata; null for random.';

alter table audit_items add column stratum varchar;
comment on column audit_items.stratum is 'Its stratum: the value of the key, empty where the item has none; null for random.';

create table audit_strata (
    audit_id varchar not null,
    question varchar not null,
    stratum varchar not null,
    n_items bigint not null,
    n_population bigint not null
);
comment on table audit_strata is 'One row per stratum of a sample that was drawn by strata.';
comment on column audit_strata.audit_id is 'The sample.';
comment on column audit_strata.question is 'The question.';
comment on column audit_strata.stratum is 'The value of the key; empty for items that have none.';
comment on column audit_strata.n_items is 'Items drawn.';
comment on column audit_strata.n_population is 'Items that they were drawn from.';

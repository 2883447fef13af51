-- Items drawn at random, to be labelled as gold, with the probability with which each was drawn.
create table audits (
    audit_id varchar not null,
    question varchar not null,
    seed bigint not null,
    design varchar not null,
    n_items bigint not null,
    n_population bigint not null,
    drawn_at timestamptz not null
);
comment on table audits is 'One row per sample of items that was drawn to be labelled as gold.';
comment on column audits.audit_id is 'Key of the sample. Its answers carry it as source_ref.';
comment on column audits.question is 'The question.';
comment on column audits.seed is 'Seed of the random numbers.';
comment on column audits.design is 'random: each item was as likely to be drawn as any other.';
comment on column audits.n_items is 'Items drawn.';
comment on column audits.n_population is 'Items that it was drawn from: rated, without gold, in no earlier sample.';
comment on column audits.drawn_at is 'When it was drawn (UTC).';

create table audit_items (
    audit_id varchar not null,
    question varchar not null,
    item varchar not null,
    place bigint not null,
    inclusion_probability double not null
);
comment on table audit_items is 'One row per item of a sample.';
comment on column audit_items.audit_id is 'The sample.';
comment on column audit_items.question is 'The question.';
comment on column audit_items.item is 'The item.';
comment on column audit_items.place is 'Its place in the order in which it was drawn, from 1.';
comment on column audit_items.inclusion_probability is 'Probability with which it was drawn.';

-- What the settings say of who is a system or gold. The kind that came with a rating stays as it was read, so that a
-- declaration can be taken back.
create table internal.declared_kinds (
    question_id integer not null,
    rater_id integer not null,
    rater_kind internal.rater_kind not null
);
comment on table internal.declared_kinds is 'Private. One row per question and rater whose kind the settings declare.';
comment on column internal.declared_kinds.question_id is 'The question.';
comment on column internal.declared_kinds.rater_id is 'The rater.';
comment on column internal.declared_kinds.rater_kind is 'human, system or gold.';

-- One row per vote on two models: the whole history, replaced and withdrawn votes included.
create or replace view preferences as
select
    votes.vote_id::varchar as vote_id, questions.question, votes.item, votes.cluster, votes.model_a, votes.model_b,
    votes.shown_first, votes.winner, raters.rater,
    coalesce(declared.rater_kind, votes.rater_kind)::varchar as rater_kind, batches.batch_id,
    votes.row_number, votes.ingested_at, votes.withdrawn_at,
    votes.withdrawn_at is null and row_number() over (
        partition by votes.question_id, votes.item, votes.model_a, votes.model_b, votes.shown_first, votes.rater_id
        order by
            votes.withdrawn_at is null desc, votes.batch_no desc, votes.row_number desc nulls last, votes.vote_id desc
    ) = 1 as is_current
from internal.preferences as votes
inner join internal.questions using (question_id)
inner join internal.raters using (rater_id)
inner join internal.batches using (batch_no)
left join internal.declared_kinds as declared
    on votes.question_id = declared.question_id and votes.rater_id = declared.rater_id;

comment on view preferences is
    'One row per vote on two models, replaced and withdrawn ones included; current_preferences has those that count.';
comment on column preferences.vote_id is 'Identity of the vote.';
comment on column preferences.question is 'The question that was asked.';
comment on column preferences.item is 'What the models answered.';
comment on column preferences.cluster is 'The group of the item, such as the question to which several turns belong.';
comment on column preferences.model_a is 'The first model by name.';
comment on column preferences.model_b is 'The other model.';
comment on column preferences.shown_first is 'Which of them was shown first: model_a or model_b.';
comment on column preferences.winner is 'Which of them won: model_a, model_b or tie.';
comment on column preferences.rater is 'Who voted; vote #1, vote #2, ... where nobody is named.';
comment on column preferences.row_number is 'Row, line or task in the file, counted from 1.';
comment on column preferences.withdrawn_at is 'When its file was read otherwise, without it (UTC).';
comment on column preferences.is_current is
    'Whether it counts: the last vote of its rater on this item and pair in this order, and not withdrawn.';

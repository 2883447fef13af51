-- One row per question, item, pair of models, order and rater: the vote that counts.
create or replace view current_preferences as
select
    question, item, cluster, model_a, model_b, shown_first, winner, rater, rater_kind, batch_id, row_number, ingested_at
from preferences
where is_current;

comment on view current_preferences is 'One row per question, item, pair of models, order and rater: the vote that counts.';
comment on column current_preferences.question is 'The question that was asked.';
comment on column current_preferences.item is 'What the models answered.';
comment on column current_preferences.cluster is 'The group of the item, such as the question to which several turns belong.';
comment on column current_preferences.shown_first is 'Which of them was shown first: model_a or model_b.';
comment on column current_preferences.winner is 'Which of them won: model_a, model_b or tie.';
comment on column current_preferences.rater is 'Who voted; vote #1, vote #2, ... where nobody is named.';
comment on column current_preferences.rater_kind is 'human, system or gold.';
comment on column current_preferences.batch_id is 'The batch that brought it.';
comment on column current_preferences.row_number is 'Row, line or task in the file, counted from 1.';

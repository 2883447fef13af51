-- One row per question, item, pair of models, order and rater: the vote that counts.
create or replace view current_preferences as
select
    question, item, cluster, model_a, model_b, shown_first, winner, rater, rater_kind, batch_id, row_number, ingested_at
from preferences
where is_current;

comment on view current_preferences is 'One row per question, item, pair of models, order and rater: the vote that counts.';
comment on column current_preferences.rater_kind is 'human, system or gold.';

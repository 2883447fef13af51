-- One row per question, kind of voter and pair of models: the votes that count.
create or replace view model_pairs as
select
    question, rater_kind, model_a, model_b, count(*) as n_votes,
    count(*) filter (where winner = 'model_a') as n_wins_a, count(*) filter (where winner = 'model_b') as n_wins_b,
    count(*) filter (where winner = 'tie') as n_ties, count(*) filter (where shown_first = 'model_a') as n_a_first,
    count(distinct item) as n_items
from current_preferences
group by question, rater_kind, model_a, model_b
order by question, rater_kind, model_a, model_b;

comment on view model_pairs is 'One row per question, kind of voter and pair of models: the votes that count.';
comment on column model_pairs.question is 'The question.';
comment on column model_pairs.rater_kind is 'Who voted: human, system or gold.';
comment on column model_pairs.n_votes is 'Votes on the pair.';
comment on column model_pairs.n_wins_a is 'Votes that model_a won.';
comment on column model_pairs.n_wins_b is 'Votes that model_b won.';
comment on column model_pairs.n_ties is 'Ties.';
comment on column model_pairs.n_a_first is 'Votes in which model_a was shown first.';
comment on column model_pairs.n_items is 'Items on which the two were compared.';

-- Votes on pairs of models, and what an evaluation finds in them.
create table internal.preferences (
    vote_id bigint not null,
    question_id integer not null,
    item varchar not null,
    cluster varchar not null,
    model_a varchar not null,
    model_b varchar not null,
    shown_first varchar not null check (shown_first in ('model_a', 'model_b')),
    winner varchar not null check (winner in ('model_a', 'model_b', 'tie')),
    rater_id integer not null,
    rater_kind internal.rater_kind not null,
    batch_no integer not null,
    row_number bigint,
    ingested_at timestamptz not null,
    withdrawn_at timestamptz,
    check (model_a < model_b)
);
comment on table internal.preferences is
    'Private. One row per vote on two models, those of later and earlier batches included. The view is preferences.';
comment on column internal.preferences.vote_id is 'Identity of the vote.';
comment on column internal.preferences.question_id is 'The question.';
comment on column internal.preferences.item is 'What the models answered.';
comment on column internal.preferences.cluster is 'What the item belongs to, such as the question of several turns.';
comment on column internal.preferences.model_a is 'The first model by name.';
comment on column internal.preferences.model_b is 'The other model.';
comment on column internal.preferences.shown_first is 'Which of them was shown first.';
comment on column internal.preferences.winner is 'Which of them won, or tie.';
comment on column internal.preferences.rater_id is 'Who voted.';
comment on column internal.preferences.rater_kind is 'human, system or gold, as it was read.';
comment on column internal.preferences.batch_no is 'The batch that brought it.';
comment on column internal.preferences.row_number is 'Row, line or task in the file, counted from 1.';
comment on column internal.preferences.ingested_at is 'When it entered the warehouse (UTC).';
comment on column internal.preferences.withdrawn_at is 'When its file was read otherwise, without it (UTC).';

create table model_strengths (
    run_id varchar not null,
    question varchar not null,
    model varchar not null,
    strength double,
    se double,
    low double,
    high double,
    confidence double not null,
    rank bigint,
    rank_low bigint,
    rank_high bigint,
    n_votes bigint not null,
    n_wins bigint not null,
    n_losses bigint not null,
    n_ties bigint not null,
    votes_of varchar not null,
    interval_method varchar not null,
    reason varchar,
    detail varchar
);
comment on table model_strengths is 'One row per run, question and model: its strength by votes on pairs of models.';
comment on column model_strengths.run_id is 'The run that computed it.';
comment on column model_strengths.question is 'The question.';
comment on column model_strengths.model is 'The model.';
comment on column model_strengths.strength is
    'Bradley-Terry strength in natural logarithms; those of a question sum to 0. Null with a reason.';
comment on column model_strengths.se is 'Standard error.';
comment on column model_strengths.low is 'Lower end of the interval.';
comment on column model_strengths.high is 'Upper end of the interval.';
comment on column model_strengths.confidence is 'Confidence of the interval, 0 to 1.';
comment on column model_strengths.rank is 'Rank by strength, 1 is the strongest.';
comment on column model_strengths.rank_low is 'Best rank that the intervals of the differences leave open.';
comment on column model_strengths.rank_high is 'Worst rank that they leave open.';
comment on column model_strengths.n_votes is 'Votes on the model.';
comment on column model_strengths.n_wins is 'Votes that it won.';
comment on column model_strengths.n_losses is 'Votes that it lost.';
comment on column model_strengths.n_ties is 'Ties.';
comment on column model_strengths.votes_of is 'Whose votes they are: people, or systems where no person voted.';
comment on column model_strengths.interval_method is
    'clustered: votes on one item may depend on each other; information: each vote is on an item of its own.';
comment on column model_strengths.reason is 'Code of the reason where the strength, or its interval, is null.';
comment on column model_strengths.detail is 'The reason in a sentence.';

create table preference_figures (
    run_id varchar not null,
    question varchar not null,
    figure varchar not null,
    rater varchar,
    estimate double,
    low double,
    high double,
    confidence double not null,
    n_votes bigint,
    n_comparisons bigint,
    reason varchar,
    detail varchar
);
comment on table preference_figures is
    'One row per run, question, figure and rater: agreement and position bias of those who vote on pairs of models.';
comment on column preference_figures.run_id is 'The run that computed it.';
comment on column preference_figures.question is 'The question.';
comment on column preference_figures.figure is
    'percent_agreement, krippendorff_alpha; agreement_with_others, of a rater; first_wins, how often the model shown first would beat an equal one; tie_parameter (Davidson); agreement_with_people, people_on_the_same and difference_to_people, of a judge.';
comment on column preference_figures.rater is 'Who voted; null for all together.';
comment on column preference_figures.estimate is 'The figure; null with a reason.';
comment on column preference_figures.low is 'Lower end of the interval.';
comment on column preference_figures.high is 'Upper end of the interval.';
comment on column preference_figures.confidence is 'Confidence of the interval, 0 to 1.';
comment on column preference_figures.n_votes is 'Votes behind it, where votes are counted.';
comment on column preference_figures.n_comparisons is 'Items and pairs of models behind it, where these are counted.';
comment on column preference_figures.reason is 'Code of the reason where the figure, or its interval, is null.';
comment on column preference_figures.detail is 'The reason in a sentence.';

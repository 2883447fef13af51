-- One row per question, figure and rater: agreement and position bias of those who vote on pairs of models.
create or replace view latest_preference_figures as
select
    a.question, a.figure, a.rater, a.estimate, a.low, a.high, a.confidence, a.n_votes, a.n_comparisons, a.reason,
    a.detail, a.run_id, r.started_at as evaluated_at
from preference_figures as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'preference_figures'
where r.kind = 'evaluate'
order by a.question, a.figure, a.rater nulls first;

comment on view latest_preference_figures is
    'One row per question, figure and rater: agreement and position bias of those who vote on pairs of models.';
comment on column latest_preference_figures.figure is
    'percent_agreement, krippendorff_alpha; agreement_with_others, of a rater; first_wins, how often the model shown first would beat an equal one; tie_parameter (Davidson); agreement_with_people, people_on_the_same and difference_to_people, of a judge.';
comment on column latest_preference_figures.rater is 'Who voted; null for all together.';
comment on column latest_preference_figures.estimate is 'The figure; null with a reason.';
comment on column latest_preference_figures.n_votes is 'Votes behind it, where votes are counted.';
comment on column latest_preference_figures.n_comparisons is
    'Items and pairs of models behind it, where these are counted.';
comment on column latest_preference_figures.reason is 'Code of the reason where the figure, or its interval, is null.';

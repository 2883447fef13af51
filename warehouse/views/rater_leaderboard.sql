-- One row per question and rater: the raters of the last run, the most accurate first.
create or replace view rater_leaderboard as
select
    a.question, a.rater, a.rater_kind,
    -- chance alone puts somebody with few ratings first
    case when a.accuracy is not null and coalesce(a.n_ratings, 30) >= 30 then rank() over (
        partition by a.question, a.rater_kind, coalesce(a.n_ratings, 30) >= 30 order by a.accuracy desc nulls last
    ) end as rank_by_accuracy,
    a.accuracy, a.low, a.high, a.agreement_with_others, a.n_ratings, a.reason, a.run_id,
    r.started_at as evaluated_at, a.n_gold, a.detail, a.gold_origin
from rater_quality as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'rater_quality'
qualify row_number() over (partition by a.question, a.rater order by r.started_at desc, r.run_id desc) = 1
order by a.question, a.rater_kind, rank_by_accuracy nulls last, a.accuracy desc nulls last, a.rater;

comment on view rater_leaderboard is 'One row per question and rater of the last run, the most accurate first.';
comment on column rater_leaderboard.rank_by_accuracy is 'Place among the raters of the same kind with 30 ratings or more; 1 is the most accurate.';
comment on column rater_leaderboard.accuracy is 'Probability that a rating of this rater is right.';

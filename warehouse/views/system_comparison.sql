-- One row per question, method, system and version: systems side by side, and beside the human raters.
create or replace view system_comparison as
with humans as (
    select
        question,
        -- null if an accuracy is missing: the mean of the others is not that of all
        case
            when bool_and(accuracy is not null)
                then sum(accuracy * coalesce(n_ratings, 1)) / sum(coalesce(n_ratings, 1))
        end as mean_rater_accuracy,
        max(accuracy) filter (where rank_by_accuracy = 1) as best_rater_accuracy
    from rater_leaderboard
    where rater_kind = 'human'
    group by question
),

-- the same figures, where the last run compared the system with the raters: with gold also of raters without a row
against as (
    select
        question, system,
        max(rater_accuracy) filter (where compared_with = 'average_rater') as mean_rater_accuracy,
        max(rater_accuracy) filter (where compared_with = 'best_rater') as best_rater_accuracy
    from latest_systems_against_raters
    group by question, system
),

known as (
    select
        systems.*, coalesce(against.mean_rater_accuracy, humans.mean_rater_accuracy) as mean_rater_accuracy,
        coalesce(against.best_rater_accuracy, humans.best_rater_accuracy) as best_rater_accuracy
    from latest_system_accuracy as systems
    left join humans using (question)
    left join against using (question, system)
    where systems.scope = 'all'
)

select
    known.question, known.method,
    case when known.accuracy is not null then rank() over (
        partition by known.question, known.method order by known.accuracy desc nulls last
    ) end as rank_by_accuracy,
    known.system, known.system_version, known.accuracy, known.low, known.high,
    known.accuracy - max(known.accuracy) over (partition by known.question, known.method) as difference_to_best,
    known.mean_rater_accuracy, known.accuracy - known.mean_rater_accuracy as difference_to_mean_rater,
    known.best_rater_accuracy, known.accuracy - known.best_rater_accuracy as difference_to_best_rater,
    known.n_items, known.reason, known.outer_low, known.outer_high
from known
order by known.question, known.method, known.accuracy desc nulls last, known.system;

comment on view system_comparison is
    'One row per question, method, system and version: the systems side by side, and beside the human raters.';
comment on column system_comparison.rank_by_accuracy is 'Place among the systems; 1 is the most accurate.';
comment on column system_comparison.system is 'The system: the rater name that it answers under.';
comment on column system_comparison.accuracy is 'Estimated share of right answers.';
comment on column system_comparison.low is
    'Lower end of the inner interval, which holds if people err independently. With gold: of the audited interval.';
comment on column system_comparison.high is 'Upper end of the inner interval.';
comment on column system_comparison.difference_to_best is 'Accuracy minus that of the best system: 0 for the best.';
comment on column system_comparison.mean_rater_accuracy is 'The annotators'' accuracy: the mean of the human raters'', by their ratings. Null if it is unknown.';
comment on column system_comparison.difference_to_mean_rater is 'Accuracy less that mean: above 0 beats the mean rater.';
comment on column system_comparison.best_rater_accuracy is
    'Accuracy of the best human rater: as in latest_systems_against_raters, else of the first in rank_by_accuracy of rater_leaderboard. Null if neither has one.';
comment on column system_comparison.difference_to_best_rater is 'Accuracy minus that of the best human rater.';
comment on column system_comparison.n_items is 'Items that the system and the raters share.';
comment on column system_comparison.reason is 'Code of the reason where the accuracy is null.';
comment on column system_comparison.outer_low is
    'Lower end of the outer interval, which allows for errors as large as those of such estimates on real data. Null for methods other than average.';

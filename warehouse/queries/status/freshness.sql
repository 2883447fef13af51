-- One row: when the newest ratings came in, the day of the newest human rating, and the evaluation that followed.
with newest as (
    select max(ingested_at) as newest_ratings_at
    from batches
    where status = 'stored' and n_ratings > 0
),

evaluations as (
    select max(ended_at) as evaluated_at, min(ended_at) filter (ended_at >= newest_ratings_at) as first_after
    from runs cross join newest
    where kind = 'evaluate' and question is not null and status = 'succeeded'
)

select
    newest_ratings_at,
    (select max(day) from internal.pattern_counts) as newest_day,
    evaluated_at,
    epoch(first_after) - epoch(newest_ratings_at) as evaluation_lag_s
from newest cross join evaluations;

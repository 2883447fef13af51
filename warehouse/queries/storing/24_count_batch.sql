-- One row: rows refused by the rule for duplicates, ratings, votes and marked items new in this attempt, new ratings that
-- are not in force, ratings and marked items that this full export deletes, and ratings and marked items dated after they
-- arrived. Clocks may differ by five minutes. Each table is read once: plans of many small queries took a fifth of the
-- time of a small batch.
-- Reads: internal.preferences, internal.ratings, internal.region_work, refused
with of_ratings as (
    select
        count(*) filter (where ingested_at = $now and restores is null) as n_new,
        count(*) filter (where ingested_at = $now and restores is null and superseded_at is not null) as n_not_in_force,
        count(*) filter (where is_future) as n_future, max(rated_at) filter (where is_future) as last_future
    from (
        select
            *, rated_at > $arrived + interval 5 minutes and withdrawn_at is null and restores is null as is_future
        from internal.ratings
        where batch_no = $batch_no
    )
),

of_work as (
    select
        count(*) filter (where batch_no = $batch_no and ingested_at = $now) as n_new,
        count(*) filter (where deleted_by = $batch_no and deleted_in_force) as n_deleted,
        count(*) filter (where is_future) as n_future, max(rated_at) filter (where is_future) as last_future
    from (
        select
            *,
            batch_no = $batch_no and withdrawn_at is null and rated_at > $arrived + interval 5 minutes as is_future
        from internal.region_work
        where batch_no = $batch_no or deleted_by = $batch_no
    )
),

deleted as (
    select count(*) as n
    from internal.ratings
    where deleted_by = $batch_no and superseded_at is null
),

votes as (
    select count(*) as n
    from internal.preferences
    where batch_no = $batch_no and ingested_at = $now
),

refusals as (
    select count(*) as n
    from refused
)

select
    f.n as n_refused, r.n_new + v.n + w.n_new as n_new, r.n_not_in_force, d.n + w.n_deleted as n_deleted,
    r.n_future + w.n_future as n_future, greatest(r.last_future, w.last_future) as last_future
from of_ratings as r cross join of_work as w cross join deleted as d cross join votes as v cross join refusals as f;

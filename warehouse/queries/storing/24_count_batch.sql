-- One row: rows refused by the rule for duplicates, ratings, votes and marked items new in this attempt, new ratings that
-- are not in force, ratings and marked items that this full export deletes, and ratings and marked items dated after they
-- arrived. Clocks may differ by five minutes.
-- Reads: internal.preferences, internal.ratings, internal.region_work, refused
with future as (
    select rated_at
    from internal.ratings
    where batch_no = $batch_no and withdrawn_at is null and restores is null
    union all
    select rated_at
    from internal.region_work
    where batch_no = $batch_no and withdrawn_at is null
)

select
    (select count(*) from refused) as n_refused,
    (
        select count(*) from internal.ratings where batch_no = $batch_no and ingested_at = $now and restores is null
    ) + (select count(*) from internal.preferences where batch_no = $batch_no and ingested_at = $now)
    + (select count(*) from internal.region_work where batch_no = $batch_no and ingested_at = $now) as n_new,
    (
        select count(*)
        from internal.ratings
        where batch_no = $batch_no and ingested_at = $now and restores is null and superseded_at is not null
    ) as n_not_in_force,
    (select count(*) from internal.ratings where deleted_by = $batch_no and superseded_at is null)
    + (select count(*) from internal.region_work where deleted_by = $batch_no and deleted_in_force) as n_deleted,
    (select count(*) from future where rated_at > $arrived + interval 5 minutes) as n_future,
    (select max(rated_at) from future where rated_at > $arrived + interval 5 minutes) as last_future;

-- One row: rows refused by the rule for duplicates, ratings, votes and marked items new in this attempt, ratings and marked
-- items that this full export deletes.
-- Reads: internal.preferences, internal.ratings, internal.region_work, refused
select
    (select count(*) from refused) as n_refused,
    (
        select count(*) from internal.ratings where batch_no = $batch_no and ingested_at = $now and restores is null
    ) + (select count(*) from internal.preferences where batch_no = $batch_no and ingested_at = $now)
    + (select count(*) from internal.region_work where batch_no = $batch_no and ingested_at = $now) as n_new,
    (select count(*) from internal.ratings where deleted_by = $batch_no and superseded_at is null)
    + (select count(*) from internal.region_work where deleted_by = $batch_no and deleted_in_force) as n_deleted;

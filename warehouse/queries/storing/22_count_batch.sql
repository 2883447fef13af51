-- One row: rows refused by the rule for duplicates, ratings and votes new in this attempt, ratings that this full export deletes.
-- Reads: internal.preferences, internal.ratings, refused
select
    (select count(*) from refused) as n_refused,
    (
        select count(*) from internal.ratings where batch_no = $batch_no and ingested_at = $now and restores is null
    ) + (select count(*) from internal.preferences where batch_no = $batch_no and ingested_at = $now) as n_new,
    (select count(*) from internal.ratings where deleted_by = $batch_no and superseded_at is null) as n_deleted;

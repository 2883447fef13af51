-- One row: the rows that the rule for duplicates refused, the ratings that this attempt brought, and those that this
-- full export shows to be deleted.
select
    (select count(*) from refused) as n_refused,
    (
        select count(*) from internal.ratings where batch_no = $batch_no and ingested_at = $now and restores is null
    ) as n_new,
    (select count(*) from internal.ratings where deleted_by = $batch_no and superseded_at is null) as n_deleted;

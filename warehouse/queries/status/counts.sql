-- One row: totals of the warehouse.
select
    (select count(*) from internal.questions where revision > 0) as n_questions,
    (select count(*) from internal.ratings where superseded_at is null and deleted_at is null) as n_ratings,
    (select count(*) from internal.ratings) as n_versions,
    (select count(*) from rejected_rows semi join batches using (batch_id, attempt)) as n_rejected_rows,
    (select max(ingested_at) from batches) as last_ingested_at;

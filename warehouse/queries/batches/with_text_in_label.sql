-- One row per batch that has a rating in force whose label holds this text and is not a set of labels.
with holding as (
    select label_id from internal.labels where contains(label, $text) and not starts_with(label, '[')
),

holding_batches as (
    select distinct batch_no
    from internal.ratings semi join holding using (label_id)
    where superseded_at is null and deleted_at is null
)

select batch_id from internal.batches semi join holding_batches using (batch_no);

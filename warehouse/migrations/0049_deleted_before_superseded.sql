-- An older version merged an alias into its rater so that ratings which a full export had deleted got superseded_at, too. The
-- n_deleted of the batch that deleted them was then larger than its number of deleted ratings that had been in force. The
-- first statement removes superseded_at where it is later than the deletion. The second one lowers n_deleted by the merged
-- ratings that were superseded before they were deleted. Only batches that do not add up are touched, and only ratings of
-- a rater and item where an alias was merged.
update internal.ratings as r
set superseded_at = null
where
    r.superseded_at >= r.deleted_at
    and (r.item_id, r.rater_id) in (select (item_id, rater_id) from internal.ratings where file_rater_id is not null)
    and r.deleted_by in (
        select i.batch_no
        from batches as b
        inner join internal.batches as i using (batch_id)
        where
            b.n_deleted > (
                select count(*)
                from (
                    select deleted_by from internal.ratings where superseded_at is null
                    union all
                    select deleted_by from internal.region_work where deleted_in_force
                ) as d
                where d.deleted_by = i.batch_no
            )
    );

update batches as b
set n_deleted = f.n_in_force
from (
    select i.batch_id, count(*) filter (where d.in_force) as n_in_force, count(*) filter (where d.was_merged) as n_merged
    from (
        select
            r.deleted_by, r.superseded_at is null as in_force,
            r.superseded_at < r.deleted_at and (r.item_id, r.rater_id) in (
                select (item_id, rater_id) from internal.ratings where file_rater_id is not null
            ) as was_merged
        from internal.ratings as r
        where r.deleted_by is not null
        union all
        select deleted_by, deleted_in_force, false
        from internal.region_work
    ) as d
    inner join internal.batches as i on d.deleted_by = i.batch_no
    group by i.batch_id
) as f
where b.batch_id = f.batch_id and b.n_deleted > f.n_in_force and b.n_deleted - f.n_in_force <= f.n_merged;

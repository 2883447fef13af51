-- A count of ratings by version of a system that differs from the ratings.
-- To do: Run `kappaflow doctor --fix`: it rebuilds the patterns from the ratings. Then `kappaflow evaluate --all`.
with expected as (
    select question_id, rater_id, system_version, count(*) as n_ratings
    from internal.ratings
    where superseded_at is null and deleted_at is null and system_version is not null
    group by all
),

stored as (from internal.version_counts anti join internal.dataset_questions using (question_id))

select *, 'expected' as what from (from expected except all from stored)
union all
select *, 'found' from (from stored except all from expected);

-- A count of items by day and pattern that differs from the items that have the pattern.
-- To do: Run `kappaflow doctor --fix`: it rebuilds the patterns from the ratings. Then `kappaflow evaluate --all`.
with expected as (
    select
        question_id, (latest at time zone (select timezone from internal.project_time))::date as day, pattern_id,
        count(*) as n_items
    from internal.item_patterns
    group by all
),

stored as (from internal.pattern_counts anti join internal.dataset_questions using (question_id))

select *, 'expected' as what from (from expected except all from stored)
union all
select *, 'found' from (from stored except all from expected);

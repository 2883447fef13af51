-- A count for the charts (items, versions, durations and ratings by day, ratings by label) that differs from the ratings.
-- To do: Run `kappaflow doctor --fix`: it rebuilds the patterns from the ratings. Then `kappaflow evaluate --all`.
with dated as (
    select
        r.question_id, (i.latest at time zone (select timezone from internal.project_time))::date as day, i.pattern_id,
        r.rater_id, r.system_version, coalesce(d.rater_kind, r.rater_kind) as kind,
        case
            when r.duration_s > 0 then round(r.duration_s, 2 - floor(log10(r.duration_s))::integer)
            else r.duration_s
        end as duration_s
    from internal.ratings as r
    inner join internal.item_patterns as i using (item_id)
    left join internal.declared_kinds as d on r.question_id = d.question_id and r.rater_id = d.rater_id
    where r.superseded_at is null and r.deleted_at is null and i.latest is not null
),

expected as (
    select question_id, day, pattern_id, rater_id, null::varchar as kind, system_version, null::double as duration_s,
        count(*) as n
    from dated
    where system_version is not null
    group by question_id, day, pattern_id, rater_id, system_version
    union all
    select question_id, day, null, rater_id, null, null, duration_s, count(*)
    from dated
    where kind = 'human' and duration_s is not null
    group by question_id, day, rater_id, duration_s
    union all
    select question_id, day, null, rater_id, kind::varchar, null, null, count(*)
    from dated
    group by question_id, day, rater_id, kind
    union all
    select
        question_id, (latest at time zone (select timezone from internal.project_time))::date as day, null, null, 'items',
        null, null, count(*)
    from internal.item_patterns
    where latest is not null
    group by question_id, day
    union all
    select question_id, null, null, null, 'label ' || label_id, null, null, count(*)
    from internal.ratings
    where superseded_at is null and deleted_at is null
    group by question_id, label_id
),

all_stored as (
    select question_id, day, pattern_id, rater_id, null::varchar as kind, system_version, null::double as duration_s,
        n_items as n
    from internal.version_day_counts
    union all
    select question_id, day, null, rater_id, null, null, duration_s, n_ratings
    from internal.duration_counts
    union all
    select question_id, day, null, rater_id, rater_kind::varchar, null, null, n_ratings
    from internal.rater_day_counts
    union all
    select question_id, day, null, null, 'items', null, null, n_items
    from internal.day_item_counts
    union all
    select question_id, null, null, null, 'label ' || label_id, null, null, n_ratings
    from internal.label_counts
),

stored as (from all_stored anti join internal.dataset_questions using (question_id))

select *, 'expected' as what from (from expected except all from stored)
union all
select *, 'found' from (from stored except all from expected);

-- `verdicts`: what becomes of the rows that are not settled and whose rating has more than one version, and of the
-- version that was in force. A row that is neither settled nor here is a first version: new, and in force.
create or replace temp table verdicts as
with remaining as (from staged anti join settled using (arrival)),

contested as (
    select item_id, rater_id from remaining semi join known using (item_id, rater_id)
    union
    select item_id, rater_id from remaining group by item_id, rater_id having count(*) > 1
),

versions as (
    select false as is_new, rating_id as arrival, * exclude (rating_id)
    from known semi join contested using (item_id, rater_id)
    where is_current
    union all by name
    select
        true as is_new, arrival, item_id, rater_id, label_id, system_version, rated_at,
        coalesce(rated_at, $now) as given_at, least(coalesce(rated_at, $now), $now) as counts_from
    from remaining semi join contested using (item_id, rater_id)
),

first_said as (
    select *
    from versions
    qualify not is_new or rated_at is null or row_number() over (
        partition by item_id, rater_id, label_id, system_version, rated_at, is_new order by arrival
    ) = 1
),

compared as (
    select
        *,
        is_new and rated_at is null and label_id = lag(label_id) over timeline
        and system_version is not distinct from lag(system_version) over timeline as repeats_the_last
    from first_said
    window timeline as (partition by item_id, rater_id order by counts_from, given_at, is_new, arrival)
),

kept as (
    select
        is_new, arrival, row_number() over (
            partition by item_id, rater_id order by counts_from desc, given_at desc, is_new desc, arrival desc
        ) = 1 as is_current
    from compared
    where not coalesce(repeats_the_last, false)
)

select v.is_new, v.arrival, k.arrival is null as is_unchanged, coalesce(k.is_current, false) as is_current
from versions as v left join kept as k using (is_new, arrival);

-- `known`: the stored versions of the ratings that the batch touches. `settled`: the rows that repeat one of them.
-- A version counts from the time it was given, at the latest from its arrival: an unknown time is the arrival, and a
-- time that lies ahead (a wrong clock) must not outrank whatever comes after it.
create or replace temp table known as
select
    rating_id, item_id, rater_id, label_id, system_version, rated_at, coalesce(rated_at, ingested_at) as given_at,
    least(coalesce(rated_at, ingested_at), ingested_at) as counts_from, superseded_at is null as is_current
from internal.ratings semi join staged using (item_id, rater_id)
where deleted_at is null;

create or replace temp table settled as
with single as (select item_id, rater_id from staged group by item_id, rater_id having count(*) = 1),

-- The same label at the same time by the same version of a system is one statement, wherever it stands in history.
dated as (
    select s.arrival
    from staged as s semi join known as k
    on s.item_id = k.item_id and s.rater_id = k.rater_id and s.label_id = k.label_id and s.rated_at = k.rated_at
    and s.system_version is not distinct from k.system_version
),

-- Without a time, only the version before it can be repeated: A, B, A are three statements.
undated as (
    select s.arrival
    from (from staged semi join single using (item_id, rater_id)) as s semi join known as k
    on s.item_id = k.item_id and s.rater_id = k.rater_id and s.label_id = k.label_id
    and s.system_version is not distinct from k.system_version and k.is_current
    where s.rated_at is null
)

from dated union all from undated;

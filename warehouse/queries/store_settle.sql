-- `known`: the stored versions of the ratings that the batch touches. `settled`: the rows that repeat one of them.
-- A version counts from the time it was given, at the latest from its arrival: an unknown time is the arrival, and a
-- time that lies ahead (a wrong clock) must not outrank whatever comes after it. What a further attempt takes in has
-- arrived with the first: it must not outrank what came in between. `is_near` are the versions that a row of the batch
-- may repeat without a time: the one in force when the file arrived, and the batch's own, in their `place` in the file.
create or replace temp table known as
select
    r.rating_id, r.item_id, r.rater_id, r.label_id, r.system_version, r.rated_at,
    coalesce(r.rated_at, a.arrived_at) as given_at,
    least(coalesce(r.rated_at, a.arrived_at), a.arrived_at) as counts_from,
    r.superseded_at is null as is_current,
    r.ingested_at < $arrived and (r.superseded_at is null or r.superseded_at >= $arrived) as was_current,
    r.superseded_at is null or was_current or r.batch_no = $batch_no as is_near,
    a.arrived_at, k.rating_id is not null as in_file, coalesce(k.arrival, r.rating_id) as place
from (from internal.ratings semi join staged using (item_id, rater_id)) as r
inner join internal.arrivals as a using (batch_no)
left join (select rating_id, min(arrival) as arrival from kept group by rating_id) as k using (rating_id)
where r.deleted_at is null;

-- The same label at the same time by the same version of a system is one statement, wherever it stands in history.
create or replace temp table settled as
with dated as (
    select s.arrival
    from staged as s semi join known as k
    on s.item_id = k.item_id and s.rater_id = k.rater_id and s.label_id = k.label_id and s.rated_at = k.rated_at
    and s.system_version is not distinct from k.system_version
),

-- Without a time, only the version before it can be repeated: A, B, A are three statements.
undated as (
    select s.arrival
    from (from staged anti join repeated using (item_id, rater_id)) as s semi join known as k
    on s.item_id = k.item_id and s.rater_id = k.rater_id and s.label_id = k.label_id
    and s.system_version is not distinct from k.system_version and k.was_current
    where s.rated_at is null
)

from dated union all from undated union all select arrival from kept;

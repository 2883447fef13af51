-- `known`: the stored versions of the ratings that the batch touches. `settled`: the rows that repeat one of them.
-- `counts_from`: when the version was given, but not later than its arrival. An unknown time is the arrival, and a time
-- in the future (a wrong clock) must not outrank everything that follows. Rows of a further attempt arrived with the
-- first attempt: they must not outrank what came in between.
-- `is_near`: a row without a time may repeat this version. These are the version in force when the file arrived, and
-- the versions of the batch itself, at their `place` in the file.
-- Reads: internal.arrivals, internal.ratings, kept, repeated, staged
-- Writes: known, settled
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

-- The same label at the same time by the same version of a system is the same rating, wherever it is in the history.
create or replace temp table settled as
with dated as (
    select s.arrival
    from staged as s semi join known as k
    on s.item_id = k.item_id and s.rater_id = k.rater_id and s.label_id = k.label_id and s.rated_at = k.rated_at
    and s.system_version is not distinct from k.system_version
),

-- Without a time, a row can repeat only the version just before it: A, B, A are three ratings.
undated as (
    select s.arrival
    from (from staged anti join repeated using (item_id, rater_id)) as s semi join known as k
    on s.item_id = k.item_id and s.rater_id = k.rater_id and s.label_id = k.label_id
    and s.system_version is not distinct from k.system_version and k.was_current
    where s.rated_at is null
)

from dated union all from undated union all select arrival from kept;

-- Where two names had rated one item, the rule of the question chooses the rating in force, as step 06 of storing does.
-- `rivals`: the versions of these items and raters, the one in force first. A version is superseded when the first one
-- that outranks it arrived: the history is then that of one rater. One that was deleted before, or by the same file, was
-- not superseded. If it was superseded before it was deleted, the batch has deleted one rating in force less.
-- Reads: incoming_rules, internal.arrivals, internal.batches, internal.questions, internal.ratings, moved
-- Writes: batches, internal.ratings, rivals
create or replace temp table rivals as
with contested as (
    select r.item_id, r.rater_id
    from internal.ratings as r
    semi join moved as t on r.item_id = t.item_id and r.rater_id = t.new_id
    left join moved as m on r.rating_id = m.rating_id
    group by r.item_id, r.rater_id
    having count(distinct coalesce(m.rater_id, r.rater_id)) > 1
),

versions as (
    select
        r.rating_id, r.item_id, r.rater_id, r.label_id, r.system_version, r.rated_at, r.ingested_at,
        r.deleted_at is null as is_kept, a.arrived_at,
        case when r.superseded_at is null then r.deleted_by end as deleted_in_force_by,
        coalesce(r.rated_at, a.arrived_at) as given_at,
        least(coalesce(r.rated_at, a.arrived_at), a.arrived_at) as counts_from, coalesce(u.rule, 'latest') as rule
    from (from internal.ratings semi join contested using (item_id, rater_id)) as r
    inner join internal.arrivals as a using (batch_no)
    inner join internal.questions as q using (question_id)
    left join incoming_rules as u using (question)
),

last_plausible as (
    select item_id, rater_id, label_id, system_version
    from versions
    where is_kept and rated_at <= arrived_at + interval 1 day
    qualify row_number() over (
        partition by item_id, rater_id
        order by counts_from desc, given_at desc, arrived_at desc, ingested_at desc, rating_id desc
    ) = 1
)

select
    v.rating_id, v.item_id, v.rater_id, v.ingested_at, v.deleted_in_force_by,
    case v.rule
        when 'first' then row_number() over (
            partition by v.item_id, v.rater_id
            order by v.is_kept desc, v.counts_from, v.given_at, v.arrived_at, v.rating_id
        )
        when 'error' then row_number() over (
            partition by v.item_id, v.rater_id order by v.is_kept desc, v.ingested_at, v.rating_id
        )
        else row_number() over (
            partition by v.item_id, v.rater_id
            order by
                v.is_kept desc, coalesce(v.rated_at > v.arrived_at + interval 1 day and p.item_id is not null, false),
                v.counts_from desc, v.given_at desc, v.arrived_at desc, v.ingested_at desc, v.rating_id desc
        )
    end as place
from versions as v
left join last_plausible as p
    on v.item_id = p.item_id and v.rater_id = p.rater_id and v.label_id = p.label_id
    and v.system_version is not distinct from p.system_version;

update internal.ratings as r
set superseded_at = case when x.superseded_at < r.deleted_at or r.deleted_at is null then x.superseded_at end
from (
    select
        v.rating_id,
        -- `greatest` leaves nulls out: without the filter, the version in force would be superseded by itself.
        min(greatest(v.ingested_at, w.ingested_at)) filter (where w.rating_id is not null) as superseded_at
    from rivals as v left join rivals as w
        on v.item_id = w.item_id and v.rater_id = w.rater_id and w.place < v.place
    group by v.rating_id
) as x
where r.rating_id = x.rating_id;

update batches as b
set n_deleted = b.n_deleted - x.n
from (
    select i.batch_id, count(*) as n
    from rivals as v
    inner join internal.ratings as r using (rating_id)
    inner join internal.batches as i on v.deleted_in_force_by = i.batch_no
    where r.superseded_at is not null
    group by i.batch_id
) as x
where b.batch_id = x.batch_id;

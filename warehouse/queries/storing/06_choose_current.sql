-- `verdicts`: what becomes of each row that is not settled and competes with other versions, and of these versions.
-- A row that is neither settled nor here is a first version: new, and in force.
-- The question's rule chooses the version in force: the latest (`latest`), the first (`first`), or the stored one, else
-- the first row of the file (`error`: every other row is refused). A version dated more than a day after its arrival
-- had a wrong date if the latest of the others says the same: then that one is the latest. Up to a day it may be a local
-- time without its zone.
-- Reads: incoming_rules, internal.questions, known, repeated, settled, staged
-- Writes: refused, verdicts
create or replace temp table verdicts as
with remaining as (from staged anti join settled using (arrival)),

contested as (
    select question_id, item_id, rater_id from remaining semi join known using (item_id, rater_id)
    union
    select question_id, item_id, rater_id
    from remaining semi join repeated using (item_id, rater_id)
    group by all
    having count(*) > 1
),

ruled as (
    select c.item_id, c.rater_id, coalesce(r.rule, 'latest') as rule
    from contested as c
    inner join internal.questions as q using (question_id)
    left join incoming_rules as r using (question)
),

versions as (
    select
        false as is_new, k.rating_id as arrival, k.item_id, k.rater_id, k.label_id, k.system_version, k.rated_at,
        k.given_at, k.counts_from, k.arrived_at, k.in_file, k.place, k.is_current as may_be_current, r.rule
    from known as k inner join ruled as r using (item_id, rater_id)
    where k.is_near
    union all by name
    select
        true as is_new, s.arrival, s.item_id, s.rater_id, s.label_id, s.system_version, s.rated_at,
        coalesce(s.rated_at, $arrived) as given_at, least(coalesce(s.rated_at, $arrived), $arrived) as counts_from,
        $arrived as arrived_at, true as in_file, s.arrival as place, true as may_be_current, r.rule
    from remaining as s inner join ruled as r using (item_id, rater_id)
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
    window timeline as (partition by item_id, rater_id order by counts_from, given_at, arrived_at, in_file, place)
),

compared_once as (from compared where not coalesce(repeats_the_last, false)),

last_plausible as (
    select item_id, rater_id, label_id, system_version
    from compared_once
    where may_be_current and rated_at <= arrived_at + interval 1 day
    qualify row_number() over (
        partition by item_id, rater_id order by counts_from desc, given_at desc, arrived_at desc, in_file desc, place desc
    ) = 1
),

ranked as (
    select
        c.is_new, c.arrival, c.rule,
        case c.rule
            when 'latest' then row_number() over (
                partition by c.item_id, c.rater_id
                order by
                    c.may_be_current desc,
                    coalesce(c.rated_at > c.arrived_at + interval 1 day and p.item_id is not null, false),
                    c.counts_from desc, c.given_at desc, c.arrived_at desc, c.in_file desc, c.place desc
            )
            when 'first' then row_number() over (
                partition by c.item_id, c.rater_id
                order by c.may_be_current desc, c.counts_from, c.given_at, c.arrived_at, c.in_file, c.place
            )
            else row_number() over (
                partition by c.item_id, c.rater_id order by c.may_be_current desc, c.is_new, c.arrival
            )
        end = 1 as is_current
    from compared_once as c
    left join last_plausible as p
        on c.item_id = p.item_id and c.rater_id = p.rater_id and c.label_id = p.label_id
        and c.system_version is not distinct from p.system_version
)

select
    v.is_new, v.arrival, k.arrival is null as is_unchanged, coalesce(k.is_current, false) as is_current,
    v.is_new and v.rule = 'error' and k.arrival is not null and not k.is_current as is_refused
from versions as v left join ranked as k using (is_new, arrival);

create or replace temp table refused as
select arrival from verdicts where is_refused;

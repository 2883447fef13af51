-- Bring the counts by day for the charts up to date: -1 for what a touched item counted as before, +1 for now. Counts
-- of 0 are deleted. An item counts on the day of its latest human rating.
-- Reads: entered_patterns, internal.duration_counts, internal.project_time, internal.rater_day_counts,
-- internal.version_day_counts, left_patterns, touched_ratings
-- Writes: day_changes, duration_changes, internal.duration_counts, internal.rater_day_counts,
-- internal.version_day_counts, rater_day_changes, version_day_changes
create or replace temp table day_changes as
with places as (
    select item_id, pattern_id, latest, true as is_now
    from entered_patterns
    where latest is not null
    union all
    select item_id, pattern_id, latest, false
    from left_patterns
    where latest is not null
)

select
    r.question_id, (p.latest at time zone (select timezone from internal.project_time))::date as day, p.pattern_id,
    r.rater_id, r.kind, r.system_version,
    -- Three significant digits keep the counts small.
    case
        when r.duration_s > 0 then round(r.duration_s, 2 - floor(log10(r.duration_s))::integer)
        else r.duration_s
    end as duration_s,
    case when p.is_now then 1 else -1 end as n
from touched_ratings as r inner join places as p on r.item_id = p.item_id
where case when p.is_now then r.is_now else r.was_before end;

create or replace temp table version_day_changes as
select question_id, day, pattern_id, rater_id, system_version, sum(n)::bigint as n
from day_changes
where system_version is not null
group by question_id, day, pattern_id, rater_id, system_version
having sum(n) <> 0;

update internal.version_day_counts as c
set n_items = c.n_items + x.n
from version_day_changes as x
where
    c.pattern_id = x.pattern_id and c.day = x.day and c.rater_id = x.rater_id and c.system_version = x.system_version;

insert into internal.version_day_counts
from version_day_changes anti join internal.version_day_counts using (pattern_id, day, rater_id, system_version);

delete from internal.version_day_counts
where n_items = 0;

create or replace temp table duration_changes as
select question_id, day, rater_id, duration_s, sum(n)::bigint as n
from day_changes
where kind = 'human' and duration_s is not null
group by question_id, day, rater_id, duration_s
having sum(n) <> 0;

update internal.duration_counts as c
set n_ratings = c.n_ratings + x.n
from duration_changes as x
where
    c.question_id = x.question_id and c.day = x.day and c.rater_id = x.rater_id and c.duration_s = x.duration_s;

insert into internal.duration_counts
from duration_changes anti join internal.duration_counts using (question_id, day, rater_id, duration_s);

delete from internal.duration_counts
where n_ratings = 0;

create or replace temp table rater_day_changes as
select question_id, day, rater_id, kind as rater_kind, sum(n)::bigint as n
from day_changes
group by question_id, day, rater_id, kind
having sum(n) <> 0;

update internal.rater_day_counts as c
set n_ratings = c.n_ratings + x.n
from rater_day_changes as x
where
    c.question_id = x.question_id and c.day = x.day and c.rater_id = x.rater_id and c.rater_kind = x.rater_kind;

insert into internal.rater_day_counts
from rater_day_changes anti join internal.rater_day_counts using (question_id, day, rater_id, rater_kind);

delete from internal.rater_day_counts
where n_ratings = 0;

-- Bring the counts by day for the charts up to date: -1 for what a touched item counted as before, +1 for now. Counts
-- of 0 are deleted. An item counts on the day of its latest human rating.
-- Reads: count_changes, entered_patterns, internal.declared_kinds, internal.pattern_ratings, internal.project_time,
-- left_patterns, touched_ratings
-- Writes: day_changes, duration_changes, internal.duration_counts, internal.rater_day_counts,
-- internal.version_day_counts, rater_day_changes, version_day_changes
create or replace temp table day_changes as
select
    question_id, item_id, pattern_id,
    (latest at time zone (select timezone from internal.project_time))::date as day, is_now
from (
    select question_id, item_id, pattern_id, latest, true as is_now
    from entered_patterns
    where latest is not null
    union all
    select question_id, item_id, pattern_id, latest, false
    from left_patterns
    where latest is not null
);

create or replace temp table version_day_changes as
select
    r.question_id, c.day, c.pattern_id, r.rater_id, r.system_version,
    sum(case when c.is_now then 1 else -1 end)::bigint as n
from touched_ratings as r inner join day_changes as c on r.item_id = c.item_id
where r.system_version is not null and case when c.is_now then r.is_now else r.was_before end
group by r.question_id, c.day, c.pattern_id, r.rater_id, r.system_version
having n <> 0;

merge into internal.version_day_counts as c
using version_day_changes as x
    on c.pattern_id = x.pattern_id and c.day = x.day and c.rater_id = x.rater_id and c.system_version = x.system_version
when matched and c.n_items + x.n = 0 then delete
when matched then update set n_items = c.n_items + x.n
when not matched then insert values (x.question_id, x.day, x.pattern_id, x.rater_id, x.system_version, x.n);

-- Three significant digits keep these counts small.
create or replace temp table duration_changes as
select
    r.question_id, c.day, r.rater_id,
    case
        when r.duration_s > 0 then round(r.duration_s, 2 - floor(log10(r.duration_s))::integer)
        else r.duration_s
    end as seconds,
    sum(case when c.is_now then 1 else -1 end)::bigint as n
from touched_ratings as r inner join day_changes as c on r.item_id = c.item_id
where r.is_human and r.duration_s is not null and case when c.is_now then r.is_now else r.was_before end
group by r.question_id, c.day, r.rater_id, seconds
having n <> 0;

merge into internal.duration_counts as c
using duration_changes as x
    on c.question_id = x.question_id and c.day = x.day and c.rater_id = x.rater_id and c.duration_s = x.seconds
when matched and c.n_ratings + x.n = 0 then delete
when matched then update set n_ratings = c.n_ratings + x.n
when not matched then insert values (x.question_id, x.day, x.rater_id, x.seconds, x.n);

-- An item has one rating in force of each rater of its pattern, so the items by pattern tell the ratings.
create or replace temp table rater_day_changes as
select
    c.question_id, c.day, r.rater_id, coalesce(d.rater_kind, r.rater_kind) as rater_kind, sum(c.n)::bigint as n
from count_changes as c
inner join internal.pattern_ratings as r on c.pattern_id = r.pattern_id
left join internal.declared_kinds as d on c.question_id = d.question_id and r.rater_id = d.rater_id
where c.day is not null
group by c.question_id, c.day, r.rater_id, coalesce(d.rater_kind, r.rater_kind)
having sum(c.n) <> 0;

merge into internal.rater_day_counts as c
using rater_day_changes as x
    on c.question_id = x.question_id and c.day = x.day and c.rater_id = x.rater_id and c.rater_kind = x.rater_kind
when matched and c.n_ratings + x.n = 0 then delete
when matched then update set n_ratings = c.n_ratings + x.n
when not matched then insert values (x.question_id, x.day, x.rater_id, x.rater_kind, x.n);

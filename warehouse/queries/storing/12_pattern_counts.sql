-- Bring the item counts by day and by batch up to date: -1 for the old pattern, +1 for the new one. Counts of 0 are
-- deleted.
-- Reads: entered_patterns, internal.batch_patterns, internal.day_item_counts, internal.pattern_counts,
-- internal.project_time, left_patterns, touched_ratings
-- Writes: batch_changes, count_changes, day_item_changes, internal.batch_patterns, internal.day_item_counts,
-- internal.pattern_counts
create or replace temp table count_changes as
select
    question_id, (latest at time zone (select timezone from internal.project_time))::date as day, pattern_id,
    sum(n)::bigint as n
from (
    select question_id, latest, pattern_id, 1 as n from entered_patterns
    union all
    select question_id, latest, pattern_id, -1 from left_patterns
)
group by all
having sum(n) <> 0;

update internal.pattern_counts as c
set n_items = c.n_items + x.n
from count_changes as x
where c.pattern_id = x.pattern_id and c.day is not distinct from x.day;

insert into internal.pattern_counts
select x.question_id, x.day, x.pattern_id, x.n
from count_changes as x anti join internal.pattern_counts as c
    on x.pattern_id = c.pattern_id and x.day is not distinct from c.day;

delete from internal.pattern_counts
where n_items = 0;

create or replace temp table day_item_changes as
select question_id, day, sum(n)::bigint as n
from count_changes
where day is not null
group by question_id, day
having sum(n) <> 0;

update internal.day_item_counts as c
set n_items = c.n_items + x.n
from day_item_changes as x
where c.question_id = x.question_id and c.day = x.day;

insert into internal.day_item_counts
from day_item_changes anti join internal.day_item_counts using (question_id, day);

delete from internal.day_item_counts
where n_items = 0;

-- Most touched items have ratings of this batch only, so its items are not counted from the ratings.
create or replace temp table batch_changes as
with places as (
    select $batch_no::integer as batch_no, item_id, question_id, pattern_id, 1 as n
    from entered_patterns
    where in_batch
    union all
    select r.batch_no, r.item_id, e.question_id, e.pattern_id, 1
    from touched_ratings as r inner join entered_patterns as e using (item_id)
    where r.is_now and r.is_human and r.batch_no is distinct from $batch_no
    group by all
    union all
    select r.batch_no, r.item_id, l.question_id, l.pattern_id, -1
    from touched_ratings as r inner join left_patterns as l using (item_id)
    where r.was_before and r.is_human
    group by all
)

select batch_no, question_id, pattern_id, sum(n)::bigint as n
from places
group by all
having sum(n) <> 0;

update internal.batch_patterns as b
set n_items = b.n_items + x.n
from batch_changes as x
where b.batch_no = x.batch_no and b.pattern_id = x.pattern_id;

insert into internal.batch_patterns
select x.batch_no, x.question_id, x.pattern_id, x.n
from batch_changes as x anti join internal.batch_patterns as b using (batch_no, pattern_id);

delete from internal.batch_patterns
where n_items = 0;

-- Bring the item counts by day and by batch up to date: -1 for the old pattern, +1 for the new one. Counts of 0 are
-- deleted.
-- Reads: entered_patterns, internal.project_time, left_patterns, touched_ratings
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

merge into internal.pattern_counts as c
using count_changes as x
    on c.pattern_id = x.pattern_id and c.day is not distinct from x.day
when matched and c.n_items + x.n = 0 then delete
when matched then update set n_items = c.n_items + x.n
when not matched then insert values (x.question_id, x.day, x.pattern_id, x.n);

create or replace temp table day_item_changes as
select question_id, day, sum(n)::bigint as n
from count_changes
where day is not null
group by question_id, day
having sum(n) <> 0;

merge into internal.day_item_counts as c
using day_item_changes as x
    on c.question_id = x.question_id and c.day = x.day
when matched and c.n_items + x.n = 0 then delete
when matched then update set n_items = c.n_items + x.n
when not matched then insert values (x.question_id, x.day, x.n);

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

merge into internal.batch_patterns as c
using batch_changes as x
    on c.batch_no = x.batch_no and c.pattern_id = x.pattern_id
when matched and c.n_items + x.n = 0 then delete
when matched then update set n_items = c.n_items + x.n
when not matched then insert values (x.batch_no, x.question_id, x.pattern_id, x.n);

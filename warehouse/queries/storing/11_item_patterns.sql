-- Move the touched items from their old rating pattern to the new one, and give new items their first. `touched_ratings`:
-- the ratings of both in force, now and before this transaction. A new item has none but those of this transaction, so
-- it needs no look-up. With $now null, there was nothing before, and `touched` lists all items. `in_batch`: whether a
-- human rating in force of the item is from this batch ($batch_no; null for a rebuild).
-- Reads: internal.declared_kinds, internal.item_patterns, internal.pattern_numbers, internal.patterns,
-- internal.ratings, touched
-- Writes: entered_patterns, internal.item_patterns, internal.pattern_numbers, internal.pattern_ratings,
-- internal.patterns, left_patterns, new_patterns, shown, touched_ratings
create or replace temp table touched_ratings as
select
    r.item_id, r.question_id, r.rater_id, r.rater_kind, r.label_id, r.system_version, r.batch_no, r.duration_s,
    coalesce(r.rated_at, r.ingested_at) as given_at,
    coalesce(d.rater_kind, r.rater_kind) = 'human' as is_human,
    r.superseded_at is null and r.deleted_at is null as is_now,
    coalesce(
        r.ingested_at < $now and (r.superseded_at is null or r.superseded_at >= $now)
        and (r.deleted_at is null or r.deleted_at >= $now),
        false
    ) as was_before
from (
    from internal.ratings
    where ingested_at = $now
    union all
    from internal.ratings semi join touched using (item_id)
    where ingested_at is distinct from $now
) as r
left join internal.declared_kinds as d on r.question_id = d.question_id and r.rater_id = d.rater_id
where is_now or was_before;

-- Materialized, because DuckDB would otherwise compute the token of each rating again.
create or replace temp table shown as
with tokens as materialized (
    select rater_id, rater_kind, label_id, md5_number(concat_ws(' ', rater_id, rater_kind, label_id)) as token
    from touched_ratings
    where is_now
    group by rater_id, rater_kind, label_id
)

select
    r.item_id, any_value(r.question_id) as question_id, bit_xor(t.token) as signature,
    max(r.given_at) filter (where r.is_human) as latest,
    coalesce(bool_or(r.is_human and r.batch_no = $batch_no), false) as in_batch
from touched_ratings as r
inner join tokens as t on r.rater_id = t.rater_id and r.rater_kind = t.rater_kind and r.label_id = t.label_id
where r.is_now
group by r.item_id;

-- Patterns that no item has shown so far. `item_id` is one item that shows the pattern: its ratings are the content.
create or replace temp table new_patterns as
select
    (select last_number from internal.pattern_numbers) + row_number() over (order by question_id, min(item_id))
        as pattern_id,
    question_id, signature, min(item_id) as item_id
from shown anti join internal.patterns using (question_id, signature)
group by question_id, signature;

insert into internal.patterns
select pattern_id, question_id, signature
from new_patterns
order by pattern_id;

update internal.pattern_numbers
set last_number = last_number + (select count(*) from new_patterns);

insert into internal.pattern_ratings
select n.pattern_id, r.rater_id, r.rater_kind, r.label_id
from touched_ratings as r inner join new_patterns as n using (item_id)
where r.is_now
order by n.pattern_id
-- `returning`: see 09_restore_older_ratings.sql. A rebuild inserts into this table once more.
returning pattern_id;

create or replace temp table left_patterns as
from internal.item_patterns semi join touched using (item_id);

create or replace temp table entered_patterns as
select s.item_id, s.question_id, p.pattern_id, s.latest, s.in_batch
from shown as s inner join internal.patterns as p using (question_id, signature);

delete from internal.item_patterns
where item_id in (select item_id from left_patterns);

insert into internal.item_patterns by name
select * exclude (in_batch)
from entered_patterns
order by item_id;

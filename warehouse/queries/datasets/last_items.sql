-- Replace the last items of the questions in `incoming_last`: those that were counted again leave first. Kept are the $n
-- of each question that people rated last. One row: whether an item that is not stored might belong to them.
create or replace temp table stored_last as
select question_id, count(*) as n, arg_min(latest, (latest, first_row)) as latest, arg_min(first_row, (latest, first_row)) as first_row
from internal.dataset_last_items
where question_id in (select question_id from internal.dataset_questions where source = $source)
group by question_id;

delete from internal.dataset_last_items
where (question_id, item) in (select question_id, item from incoming_touched);

insert into internal.dataset_last_items
select l.question_id, l.item, l.first_row, p.pattern_id, l.latest
from incoming_last as l inner join counted_patterns as p on l.pattern = p.pattern and p.sign = 1;

create or replace temp table too_old as
select question_id, item
from internal.dataset_last_items
where question_id in (select question_id from internal.dataset_questions where source = $source)
qualify row_number() over (partition by question_id order by latest desc, first_row desc) > $n;

delete from internal.dataset_last_items
where (question_id, item) in (from too_old);

select count(*) > 0
from stored_last as s
left join (
    select question_id, count(*) as n, arg_min(latest, (latest, first_row)) as latest, arg_min(first_row, (latest, first_row)) as first_row
    from internal.dataset_last_items
    group by question_id
) as n using (question_id)
where s.n >= $n and (n.question_id is null or n.n < $n or (n.latest, n.first_row) < (s.latest, s.first_row));

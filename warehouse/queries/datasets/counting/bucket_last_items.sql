-- One row per item of this bucket that is among the $n of its question that people rated last.
with first_rows as (
    select item_id, min(row_number) as first_row
    from internal.ratings
    group by item_id
)

select p.question_id, i.item, f.first_row, p.pattern_id as pattern, p.latest
from internal.item_patterns as p
inner join internal.items as i using (item_id)
inner join first_rows as f using (item_id)
where p.latest is not null
qualify row_number() over (partition by p.question_id order by p.latest desc, f.first_row desc) <= $n;

-- Groups of up to three rated items of one question that differ in case, spaces, leading zeros, a decimal 0, the
-- midnight of a day or the apostrophe before a formula only, and how many items each group has. A reader takes them for
-- one item; they count as several.
with names as (
    select
        i.item,
        regexp_replace(
            regexp_replace(
                regexp_replace(lower(trim(i.item)), '\s+', ' ', 'g'),
                '^(\d{4}-\d\d-\d\d)[ t]00:00(:00(\.0+)?)?$', '\1'
            ),
            '^''([=+@-])', '\1'
        ) as plain
    from internal.item_patterns as p inner join internal.items as i using (item_id)
    where p.question_id = (select question_id from internal.questions where question = $question)
),

numbers as (
    select
        item,
        case
            when regexp_full_match(plain, '\+?\d+([.]\d+)?')
                then regexp_replace(regexp_replace(plain, '^\+?0+(\d)', '\1'), '\.0+$', '')
            else plain
        end as plain
    from names
)

select list(item order by item)[1:3] as items, count(*) as n_items
from numbers
group by plain
having count(*) > 1
order by items;

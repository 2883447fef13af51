-- How many items of a question have gold, and how many of them were drawn for an audit. An item on which gold raters
-- differ has none.
with gold as (
    select item
    from current_ratings
    where question = $question and rater_kind = 'gold'
    group by item
    having count(distinct label) = 1
)

select
    count(*) as n_gold,
    count(*) filter (where item in (select item from audit_items where question = $question)) as n_drawn
from gold;

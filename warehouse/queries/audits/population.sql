-- One row per item of a question that can be drawn: rated, without gold, and in no earlier sample. Sorted by item.
select item
from current_ratings
where question = $question
group by item
having
    count(*) filter (where rater_kind = 'gold') = 0
    and item not in (select a.item from audit_items as a where a.question = $question)
order by item;

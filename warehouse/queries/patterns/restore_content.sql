-- In a rebuild: restore the content of patterns that kept their number.
insert into internal.pattern_ratings
with known as (
    select pattern_id, min(item_id) as item_id
    from entered_patterns anti join new_patterns using (pattern_id)
    group by pattern_id
)

select k.pattern_id, r.rater_id, r.rater_kind, r.label_id
from touched_ratings as r inner join known as k using (item_id)
order by k.pattern_id;

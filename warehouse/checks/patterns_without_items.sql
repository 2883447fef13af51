-- A pattern that occurs twice, that no item has, or whose number could be used again; content of a missing pattern.
-- To do: Run `kappaflow doctor --fix`: it rebuilds the patterns from the ratings. Then `kappaflow evaluate --all`.
select 'number twice' as what, pattern_id from internal.patterns group by pattern_id having count(*) > 1
union all
select 'pattern twice', min(pattern_id) from internal.patterns group by question_id, signature having count(*) > 1
union all
select 'shown by no item', pattern_id
from (from internal.patterns anti join internal.item_patterns using (pattern_id))
where
    question_id not in (select question_id from internal.dataset_questions)
    or pattern_id not in (select pattern_id from internal.pattern_counts)
union all
select 'number to come', pattern_id
from internal.patterns
where pattern_id > coalesce((select max(last_number) from internal.pattern_numbers), 0)
union all
select distinct 'ratings of no pattern', pattern_id
from (from internal.pattern_ratings anti join internal.patterns using (pattern_id))
union all
select distinct 'consensus of no pattern', pattern_id
from (from internal.pattern_consensus anti join internal.patterns using (pattern_id, question_id))
union all
select 'numbers', count(*) from internal.pattern_numbers having count(*) <> 1;

-- The agreement over all ratings, by question and coefficient; with $slice, that on the items of a slice.
select *
from latest_agreement
where
    period = 'all'
    and ($question is null or question = $question)
    and case when $slice is null then scope in ('humans', 'all') or scope like 'label:%' or scope like 'subtree:%' else scope = 'slice:' || $slice end;

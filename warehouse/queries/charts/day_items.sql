-- One row per day of a question up to $until: items with a human rating.
select day, sum(n_items)::bigint as n_items
from internal.pattern_counts
where
    question_id = (select question_id from internal.questions where question = $question) and day <= $until
group by day
order by day;

-- One row per day of a question up to $until: items with a human rating.
select day, n_items
from internal.day_item_counts
where
    question_id = (select question_id from internal.questions where question = $question) and day <= $until
order by day;

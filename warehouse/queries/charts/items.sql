-- One row per day and pattern of a question, of these $days.
select day, pattern_id as pattern, n_items
from internal.pattern_counts
where
    question_id = (select question_id from internal.questions where question = $question)
    and day in (select unnest($days::date[]))
order by day, pattern;

-- One row per day and pattern of a question.
select day, pattern_id, n_items
from internal.pattern_counts
where question_id = (select question_id from internal.questions where question = $question)
order by day, pattern_id;

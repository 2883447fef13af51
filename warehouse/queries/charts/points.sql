-- The stored points of a question.
select chart, subject, label, day, n_items, value, low, high, statistic, threshold, is_reference
from internal.chart_points
where question_id = (select question_id from internal.questions where question = $question);

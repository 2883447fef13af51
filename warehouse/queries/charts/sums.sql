-- The stored sums of scores of a question, in no particular order.
select section, chart, subject, label, day, n_items, score_sum
from internal.chart_sums
where question_id = (select question_id from internal.questions where question = $question);

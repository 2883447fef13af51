-- The stored sums of scores of questions ($questions), in no particular order.
select q.question, s.section, s.chart, s.subject, s.label, s.day, s.n_items, s.score_sum
from internal.chart_sums as s inner join internal.questions as q using (question_id)
where list_contains($questions, q.question);

-- The stored points of questions ($questions).
select
    q.question, p.chart, p.subject, p.label, p.day, p.n_items, p.value, p.low, p.high, p.statistic, p.threshold,
    p.is_reference
from internal.chart_points as p inner join internal.questions as q using (question_id)
where list_contains($questions, q.question);

-- One row per question (of $questions) and day: items with a human rating.
select q.question, c.day, c.n_items
from internal.day_item_counts as c inner join internal.questions as q using (question_id)
where list_contains($questions, q.question)
order by q.question, c.day;

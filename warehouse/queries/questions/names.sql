-- One row per question whose number is among $ids.
select question
from internal.questions
where list_contains($ids, question_id)
order by question;

-- One row per question with one of these numbers.
select question
from internal.questions
where list_contains($ids, question_id)
order by question;

-- One row per question of a dataset, with its source.
select q.question, d.source
from internal.dataset_questions as d inner join internal.questions as q using (question_id)
order by q.question;

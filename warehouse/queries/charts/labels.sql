-- The labels of the ratings in force of questions ($questions).
select q.question, l.label
from internal.label_counts as c
inner join internal.questions as q using (question_id)
inner join internal.labels as l using (label_id)
where list_contains($questions, q.question)
order by q.question, l.label;

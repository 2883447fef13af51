-- The labels of the ratings in force of a question.
select l.label
from internal.label_counts as c inner join internal.labels as l using (label_id)
where c.question_id = (select question_id from internal.questions where question = $question)
order by l.label;

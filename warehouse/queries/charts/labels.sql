-- The labels in the patterns of a question.
select distinct l.label
from internal.patterns as p
inner join internal.pattern_ratings as r using (pattern_id)
inner join internal.labels as l using (label_id)
where p.question_id = (select question_id from internal.questions where question = $question)
order by l.label;

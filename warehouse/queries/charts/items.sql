-- One row per question, day and pattern, of the days in `incoming_days` (question, day).
select i.question, c.day, c.pattern_id as pattern, c.n_items
from incoming_days as i
inner join internal.questions as q using (question)
inner join internal.pattern_counts as c on q.question_id = c.question_id and i.day = c.day
order by i.question, c.day, pattern;

-- One row per question, day, annotator and duration, of the days in `incoming_days` (question, day).
select i.question, c.day, a.rater, c.duration_s, c.n_ratings
from incoming_days as i
inner join internal.questions as q using (question)
inner join internal.duration_counts as c on q.question_id = c.question_id and i.day = c.day
inner join internal.raters as a using (rater_id)
order by i.question, c.day, a.rater, c.duration_s;

-- One row per question and rater with a rating in force.
select distinct q.question, a.rater
from internal.pattern_counts as c
inner join internal.pattern_ratings as p using (pattern_id)
inner join internal.raters as a using (rater_id)
inner join internal.questions as q on c.question_id = q.question_id
order by q.question, a.rater;

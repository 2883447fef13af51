-- One row per question and rater with a rating, vote or marked item in force.
select q.question, a.rater
from internal.pattern_counts as c
inner join internal.pattern_ratings as p using (pattern_id)
inner join internal.raters as a using (rater_id)
inner join internal.questions as q on c.question_id = q.question_id
union
select q.question, a.rater
from internal.preferences as p
inner join internal.raters as a using (rater_id)
inner join internal.questions as q using (question_id)
where p.withdrawn_at is null
union
select q.question, a.rater
from internal.region_work as p
inner join internal.raters as a using (rater_id)
inner join internal.questions as q using (question_id)
where p.withdrawn_at is null and p.deleted_at is null
order by question, rater;

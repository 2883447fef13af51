-- One row per question and system with a rating in force.
select distinct q.question, a.rater as system
from internal.pattern_counts as c
inner join internal.pattern_ratings as p using (pattern_id)
inner join internal.raters as a using (rater_id)
inner join internal.questions as q on c.question_id = q.question_id
left join internal.declared_kinds as d on c.question_id = d.question_id and p.rater_id = d.rater_id
where coalesce(d.rater_kind, p.rater_kind) = 'system'
order by q.question, a.rater;

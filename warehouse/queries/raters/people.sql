-- One row per person with a rating in force.
select distinct a.rater
from internal.pattern_counts as c
inner join internal.pattern_ratings as p using (pattern_id)
inner join internal.raters as a using (rater_id)
left join internal.declared_kinds as d on c.question_id = d.question_id and p.rater_id = d.rater_id
where coalesce(d.rater_kind, p.rater_kind) = 'human'
order by a.rater;

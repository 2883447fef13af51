-- One row per question, day, pattern, rater and version, of the days in `incoming_days` (question, day).
select i.question, c.day, c.pattern_id as pattern, a.rater as system, c.system_version as version, c.n_items
from incoming_days as i
inner join internal.questions as q using (question)
inner join internal.version_day_counts as c on q.question_id = c.question_id and i.day = c.day
inner join internal.raters as a using (rater_id)
order by i.question, c.day, pattern, system, version;

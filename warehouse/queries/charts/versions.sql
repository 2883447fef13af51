-- One row per day, pattern, rater and version of a question, of these $days.
select c.day, c.pattern_id as pattern, a.rater as system, c.system_version as version, c.n_items
from internal.version_day_counts as c inner join internal.raters as a using (rater_id)
where
    c.question_id = (select question_id from internal.questions where question = $question)
    and c.day in (select unnest($days::date[]))
order by c.day, pattern, system, version;

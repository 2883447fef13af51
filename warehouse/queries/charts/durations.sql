-- One row per day, annotator and duration of a question, of these $days.
select c.day, a.rater, c.duration_s, c.n_ratings
from internal.duration_counts as c inner join internal.raters as a using (rater_id)
where
    c.question_id = (select question_id from internal.questions where question = $question)
    and c.day in (select unnest($days::date[]))
order by c.day, a.rater, c.duration_s;

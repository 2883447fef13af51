-- One row per day, rater and kind of a question up to $until: ratings in force.
select c.day, a.rater, c.rater_kind::varchar as rater_kind, c.n_ratings
from internal.rater_day_counts as c inner join internal.raters as a using (rater_id)
where
    c.question_id = (select question_id from internal.questions where question = $question) and c.day <= $until
order by c.day, a.rater, c.rater_kind;

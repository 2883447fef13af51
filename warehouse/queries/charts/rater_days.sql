-- One row per question (of $questions), day, rater and kind: ratings in force.
select q.question, c.day, a.rater, c.rater_kind::varchar as rater_kind, c.n_ratings
from internal.rater_day_counts as c
inner join internal.questions as q using (question_id)
inner join internal.raters as a using (rater_id)
where list_contains($questions, q.question)
order by q.question, c.day, a.rater, c.rater_kind;

-- The days of questions ($questions) whose counts changed after the revision that their charts show.
select q.question, c.day
from internal.questions as q
inner join internal.chart_states as s using (question_id)
inner join internal.changed_days as c on q.question_id = c.question_id and c.revision > s.revision
where list_contains($questions, q.question)
order by q.question, c.day;

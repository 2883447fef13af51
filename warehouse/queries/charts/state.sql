-- What the charts of questions ($questions) were computed with.
select
    q.question, s.revision, s.charted_until, s.settings, s.sections::varchar as sections,
    s.detector::varchar as detector
from internal.chart_states as s inner join internal.questions as q using (question_id)
where list_contains($questions, q.question);

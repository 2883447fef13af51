-- What the charts of a question were computed with.
select revision, charted_until, settings, sections::varchar as sections, detector::varchar as detector
from internal.chart_states
where question_id = (select question_id from internal.questions where question = $question);

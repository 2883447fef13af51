-- Forget what the charts of a question were computed with. The next run computes them from all days.
delete from internal.chart_states
where question_id = (select question_id from internal.questions where question = $question);

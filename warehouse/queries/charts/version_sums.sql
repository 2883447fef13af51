-- The stored sums of scores by version of a question.
select section, system, version, day, n_items, score_sum, centred_sum, centred_squares
from internal.version_sums
where question_id = (select question_id from internal.questions where question = $question)
order by section, system, version, day;

-- The stored sums of scores by version of questions ($questions).
select q.question, s.section, s.system, s.version, s.day, s.n_items, s.score_sum, s.centred_sum, s.centred_squares
from internal.version_sums as s inner join internal.questions as q using (question_id)
where list_contains($questions, q.question)
order by q.question, s.section, s.system, s.version, s.day;

-- One row per item and name of a rater, or of a repeated reading of his, in the questions where each reading counts.
-- Reads: incoming_names (rater_id, person), incoming_rules (question, rule), internal.questions, internal.ratings
select distinct r.item_id, r.rater_id
from internal.ratings as r
inner join incoming_names using (rater_id)
inner join internal.questions as q using (question_id)
inner join incoming_rules as u using (question)
where u.rule = 'repeats'
order by r.item_id, r.rater_id;

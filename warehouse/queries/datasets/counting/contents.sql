-- One row per pattern of the counting warehouse and rating in it.
select p.pattern_id as pattern, p.question_id, r.rater_id, r.rater_kind::varchar as rater_kind, r.label_id
from internal.patterns as p inner join internal.pattern_ratings as r using (pattern_id);

-- The models that were compared by votes on pairs of them: strength and rank.
select *
from latest_model_strengths
where $question is null or question = $question
order by question, rank nulls last, model;

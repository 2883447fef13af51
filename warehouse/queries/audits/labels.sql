-- The labels that a question has in force.
select distinct label
from current_ratings
where question = $question
order by label;

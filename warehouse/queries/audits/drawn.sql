-- One row per item that was drawn for a question, with its sample.
select item, audit_id, inclusion_probability
from audit_items
where question = $question
order by audit_id, place;

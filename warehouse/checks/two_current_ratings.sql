-- A question, item and rater with more than one rating in force.
-- To do: Restore the last sound backup, or ingest the exports again into a new warehouse.
select question_id, item_id, rater_id, count(*) as n_current
from internal.ratings
where superseded_at is null and deleted_at is null
group by question_id, item_id, rater_id
having count(*) > 1;

-- A question, item and rater whose every version is superseded, though none is deleted.
-- To do: Restore the last sound backup, or ingest the exports again into a new warehouse.
select question_id, item_id, rater_id, count(*) as n_versions
from internal.ratings
group by question_id, item_id, rater_id
having count(superseded_at) = count(*) and count(deleted_at) = 0;

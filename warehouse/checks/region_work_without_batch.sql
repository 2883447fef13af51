-- Work on spans or boxes whose batch, question or rater does not exist.
-- To do: Restore the last sound backup, or ingest the exports again into a new warehouse.
select p.work_id, p.batch_no, p.question_id, p.rater_id
from internal.region_work as p
left join internal.batches as n using (batch_no)
left join batches as b using (batch_id)
left join internal.questions as q using (question_id)
left join internal.raters as a using (rater_id)
where b.batch_id is null or q.question_id is null or a.rater_id is null;

-- A key or a name that is in its dictionary twice.
-- To do: Restore the last sound backup, or ingest the exports again into a new warehouse.
select 'question' as dictionary, question as name from internal.questions group by question having count(*) > 1
union all
select 'question_id', question_id::varchar from internal.questions group by question_id having count(*) > 1
union all
select 'item', any_value(item) from internal.items group by question_id, item having count(*) > 1
union all
select 'item_id', item_id::varchar from internal.items group by item_id having count(*) > 1
union all
select 'rater', rater from internal.raters group by rater having count(*) > 1
union all
select 'rater_id', rater_id::varchar from internal.raters group by rater_id having count(*) > 1
union all
select 'label', label from internal.labels group by label having count(*) > 1
union all
select 'label_id', label_id::varchar from internal.labels group by label_id having count(*) > 1
union all
select 'batch', batch_id from batches group by batch_id having count(*) > 1
union all
select 'batch_no', batch_no::varchar from internal.batches group by batch_no having count(*) > 1
union all
select 'run', run_id from runs group by run_id having count(*) > 1
union all
select 'rating_id', rating_id::varchar from internal.ratings group by rating_id having count(*) > 1;

-- One row per stored file of a source and question in it. `modified_at` is null if the file was not a full export.
select
    b.batch_id, b.sha256, q.question, if(b.full_export, b.file_modified_at, null) as modified_at, b.file_name
from batches as b inner join batch_questions as q using (batch_id)
where b.source = $source and b.status = 'stored'
order by b.ingested_at;

-- One row per batch that $name may mean: its id or the beginning of it, the name of its file, or a path to that file.
-- questions: what the batch brought to each question.
select
    b.batch_id, b.file_name, b.source, b.sha256, b.reader, b.status, b.settings_hash, b.file_modified_at, b.reading,
    b.ingested_at, coalesce(b.full_export, false) as full_export,
    coalesce(q.questions, []) as questions
from batches as b left join (
    select batch_id, list({'question': question, 'n_ratings': n_ratings} order by question) as questions
    from batch_questions
    group by batch_id
) as q using (batch_id)
where
    b.batch_id = $name or (length($name) >= 8 and starts_with(b.batch_id, $name))
    or b.file_name = $name or ends_with('/' || $name, '/' || b.file_name)
order by b.ingested_at, b.batch_id;

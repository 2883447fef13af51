-- One row per batch that $name may mean: its id, the beginning of it, or the name of its file, of any source or of $source.
-- questions: what the batch brought to each question. has_metadata: its questions have items with metadata.
select
    b.batch_id, b.file_name, b.source, b.sha256, b.reader, b.status, b.reason, b.settings_hash, b.file_modified_at, b.reading,
    b.ingested_at, coalesce(b.full_export, false) as full_export,
    coalesce(q.questions, []) as questions,
    exists (
        from batch_questions as of_batch inner join item_metadata as m using (question)
        where of_batch.batch_id = b.batch_id
    ) as has_metadata
from batches as b left join (
    select batch_id, list({'question': question, 'n_ratings': n_ratings} order by question) as questions
    from batch_questions
    group by batch_id
) as q using (batch_id)
where
    b.batch_id = $name or (length($name) >= 8 and starts_with(b.batch_id, $name))
    or (b.file_name = $name and ($source is null or b.source = $source))
order by b.ingested_at, b.batch_id;

-- When the last batch with ratings of each question of `incoming_limits` (question, value in seconds) came from a source.
-- Answers that `audit` and `worklist` take in come from no source.
select
    l.question, l.value as threshold, max(b.ingested_at) as last_at, arg_max(b.file_name, b.ingested_at) as file_name,
    arg_max(b.source, b.ingested_at) as source
from incoming_limits as l
inner join batch_questions as c using (question)
inner join batches as b using (batch_id)
where b.reader is null or b.reader not in ('audit', 'worklist')
group by l.question, l.value
order by l.question;

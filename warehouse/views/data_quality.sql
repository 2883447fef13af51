-- One row per batch, that is per file and reader: how much of it was usable. The counts are not split by question,
-- because a skipped or rejected row may not name its question.
create or replace view data_quality as
with asked as (
    select batch_id, string_agg(question, ', ' order by question) as questions
    from batch_questions
    group by batch_id
),

reasons as (
    select batch_id, attempt, reason, sum(n_rows)::bigint as n
    from rejected_rows
    group by batch_id, attempt, reason
),

top_reasons as (
    select *
    from reasons
    qualify row_number() over (partition by batch_id, attempt order by n desc, reason) = 1
)

select
    batches.batch_id, batches.source, batches.file_name, batches.reader, batches.status, asked.questions,
    batches.n_rows, batches.n_ratings, batches.n_unchanged, batches.n_skipped, batches.n_rejected,
    batches.n_rejected / nullif(batches.n_rows, 0) as reject_share,
    coalesce(batches.reason, top_reasons.reason) as top_reason, coalesce(top_reasons.n, 0) as n_top_reason,
    batches.detail, batches.attempt, batches.ingested_at, batches.n_deleted, coalesce(batches.n_future, 0) as n_future, batches.last_future_at
from batches
left join asked using (batch_id)
left join top_reasons using (batch_id, attempt)
order by batches.ingested_at desc, batches.batch_id;

comment on view data_quality is 'One row per batch, the latest first: how much of it was usable, and why not all.';
comment on column data_quality.source is 'The configured source that it came from.';
comment on column data_quality.questions is 'The questions that it rates, separated by commas.';
comment on column data_quality.n_rows is 'Annotations found in the file.';
comment on column data_quality.n_ratings is 'Stored as new ratings, or as new versions of known ones.';
comment on column data_quality.n_unchanged is 'Known already.';
comment on column data_quality.n_skipped is 'Skipped by the annotator.';
comment on column data_quality.n_rejected is 'Refused.';
comment on column data_quality.reject_share is 'Share of the annotations that were refused, 0 to 1; null for an empty file.';
comment on column data_quality.top_reason is 'Code of the most frequent reason of refusal, or of the file''s own.';
comment on column data_quality.n_top_reason is 'Annotations refused for that reason.';
comment on column data_quality.detail is 'Why the whole file was refused, in a sentence.';
comment on column data_quality.attempt is 'How many times the batch was taken in.';
comment on column data_quality.ingested_at is 'When it entered the warehouse (UTC).';
comment on column data_quality.n_deleted is
    'Current ratings that it marked as deleted, because this full export or live source lacks them.';
comment on column data_quality.n_future is 'Ratings dated more than five minutes after they arrived.';

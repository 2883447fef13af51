-- One row per rater's work on an item: the whole history, replaced, withdrawn and deleted work included.
create or replace view region_work as
select
    done.work_id::varchar as work_id, questions.question, done.item, raters.rater,
    coalesce(declared.rater_kind, done.rater_kind)::varchar as rater_kind, done.regions, done.n_spans, done.n_boxes,
    done.text_length, batches.batch_id, done.ingested_at, done.withdrawn_at,
    done.withdrawn_at is null and done.deleted_at is null and row_number() over (
        partition by done.question_id, done.item, done.rater_id
        order by done.withdrawn_at is null and done.deleted_at is null desc, done.batch_no desc, done.work_id desc
    ) = 1 as is_current,
    done.rated_at, done.source_ref, done.deleted_at
from internal.region_work as done
inner join internal.questions using (question_id)
inner join internal.raters using (rater_id)
inner join internal.batches using (batch_no)
left join internal.declared_kinds as declared
    on done.question_id = declared.question_id and done.rater_id = declared.rater_id;

comment on view region_work is
    'One row per rater''s work on an item, with its spans or boxes, ranking or text; replaced and deleted work included.';
comment on column region_work.work_id is 'Identity of the work.';
comment on column region_work.question is 'The question that was asked.';
comment on column region_work.item is 'What was marked.';
comment on column region_work.rater is 'Who marked it.';
comment on column region_work.regions is
    'The spans [start, end, label] and boxes [left, top, right, bottom, label], sorted, as JSON; empty for none. Of other answers an object: {"ranking": [[option, rank], ...]} or {"text": ...}.';
comment on column region_work.n_spans is 'Number of spans.';
comment on column region_work.n_boxes is 'Number of boxes.';
comment on column region_work.text_length is 'Characters of the text, where the file holds it.';
comment on column region_work.withdrawn_at is 'When its file was read otherwise, without it (UTC).';
comment on column region_work.is_current is 'Whether it counts: the last work of its rater on this item, and not withdrawn or deleted.';
comment on column region_work.rated_at is 'When the rater did it (UTC); null where the file does not say.';
comment on column region_work.source_ref is 'Identity of the annotation in its tool; null where the file has none.';
comment on column region_work.deleted_at is 'When a full export or a live source no longer had it (UTC).';

-- One row per rater's work on an item: the whole history, replaced, withdrawn and deleted work included.
create or replace view region_work as
select
    p.work_id::varchar as work_id, q.question, p.item, a.rater,
    coalesce(d.rater_kind, p.rater_kind)::varchar as rater_kind, p.regions, p.n_spans, p.n_boxes, p.text_length,
    b.batch_id, p.ingested_at, p.withdrawn_at,
    p.withdrawn_at is null and p.deleted_at is null and row_number() over (
        partition by p.question_id, p.item, p.rater_id
        order by p.withdrawn_at is null and p.deleted_at is null desc, p.batch_no desc, p.work_id desc
    ) = 1 as is_current,
    p.rated_at, p.source_ref, p.deleted_at
from internal.region_work as p
inner join internal.questions as q using (question_id)
inner join internal.raters as a using (rater_id)
inner join internal.batches as b using (batch_no)
left join internal.declared_kinds as d on p.question_id = d.question_id and p.rater_id = d.rater_id;

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

-- Spans and boxes that raters marked, and what an evaluation finds in them.
create table internal.region_work (
    work_id bigint not null,
    question_id integer not null,
    item varchar not null,
    rater_id integer not null,
    rater_kind internal.rater_kind not null,
    regions varchar not null,
    n_spans integer not null,
    n_boxes integer not null,
    text_length bigint,
    batch_no integer not null,
    ingested_at timestamptz not null,
    withdrawn_at timestamptz
);
comment on table internal.region_work is
    'Private. One row per rater''s work on an item, those of later and earlier batches included. The view is region_work.';
comment on column internal.region_work.work_id is 'Identity of the work.';
comment on column internal.region_work.question_id is 'The question.';
comment on column internal.region_work.item is 'What was marked.';
comment on column internal.region_work.rater_id is 'Who marked it.';
comment on column internal.region_work.rater_kind is 'human, system or gold, as it was read.';
comment on column internal.region_work.regions is
    'The spans [start, end, label] and boxes [left, top, right, bottom, label], sorted, as JSON; empty for none.';
comment on column internal.region_work.n_spans is 'Number of spans.';
comment on column internal.region_work.n_boxes is 'Number of boxes.';
comment on column internal.region_work.text_length is 'Characters of the text, where the file holds it.';
comment on column internal.region_work.batch_no is 'The batch that brought it.';
comment on column internal.region_work.ingested_at is 'When it entered the warehouse (UTC).';
comment on column internal.region_work.withdrawn_at is 'When its file was read otherwise, without it (UTC).';

create table region_agreement (
    run_id varchar not null,
    question varchar not null,
    rater_a varchar,
    rater_b varchar,
    label varchar,
    coefficient varchar not null,
    estimate double,
    se double,
    low double,
    high double,
    confidence double not null,
    interval_method varchar not null,
    n_items bigint not null,
    n_raters bigint not null,
    n_regions bigint not null,
    reason varchar,
    detail varchar
);
comment on table region_agreement is
    'One row per run, question, pair of raters or all, label or all, and coefficient: agreement on spans or boxes.';
comment on column region_agreement.run_id is 'The run that computed it.';
comment on column region_agreement.question is 'The question.';
comment on column region_agreement.rater_a is 'The first rater of a pair by name; null for all raters.';
comment on column region_agreement.rater_b is 'The other rater of the pair; null for all raters.';
comment on column region_agreement.label is 'The label of the regions that are compared; null for all labels.';
comment on column region_agreement.coefficient is
    'Of spans f1_exact, f1_partial, character_alpha, unitised_alpha; of boxes f1_iou50, f1_iou75, mean_iou.';
comment on column region_agreement.estimate is 'The figure; null with a reason.';
comment on column region_agreement.se is 'Standard error (jackknife over items).';
comment on column region_agreement.low is 'Lower end of the interval.';
comment on column region_agreement.high is 'Upper end of the interval.';
comment on column region_agreement.confidence is 'Confidence of the interval, 0 to 1.';
comment on column region_agreement.interval_method is 'How the interval was computed: jackknife.';
comment on column region_agreement.n_items is 'Items that two raters or more did.';
comment on column region_agreement.n_raters is 'Raters of these items.';
comment on column region_agreement.n_regions is 'Spans or boxes in these items.';
comment on column region_agreement.reason is 'Code of the reason where the figure, or its interval, is null.';
comment on column region_agreement.detail is 'The reason in a sentence.';

-- How far two raters are apart on each item, whatever they gave: one table for spans, boxes, rankings and texts.
create table item_distances (
    run_id varchar not null,
    question varchar not null,
    item varchar not null,
    rater_a varchar,
    rater_b varchar,
    label varchar,
    coefficient varchar not null,
    value double not null,
    weight double not null
);
comment on table item_distances is
    'One row per question, item, pair of raters, label of spans or boxes, and coefficient: what the item adds to the agreement. The last evaluation of a question replaces its rows.';
comment on column item_distances.run_id is 'The run that computed it.';
comment on column item_distances.question is 'The question.';
comment on column item_distances.item is 'The item.';
comment on column item_distances.rater_a is 'The first rater of the pair by name; null for kendall_w, which is of all raters of the item.';
comment on column item_distances.rater_b is 'The other rater of the pair; null for kendall_w.';
comment on column item_distances.label is 'The label of the spans or boxes; null for rankings and texts.';
comment on column item_distances.coefficient is
    'Of spans f1_exact, f1_partial; of boxes f1_iou50, f1_iou75, mean_iou; of rankings kendall_w, spearman, kendall_tau; of texts text_similarity, word_similarity, exact_match.';
comment on column item_distances.value is 'What it adds: sum(value) / sum(weight) over any rows of a coefficient is its figure.';
comment on column item_distances.weight is 'With what weight: regions of both raters for an F1, matches for mean_iou, raters for kendall_w, else 1.';

comment on table region_agreement is
    'One row per run, question, pair of raters or all, label or all, and coefficient: agreement on spans, boxes, rankings or texts.';
comment on column region_agreement.coefficient is
    'Of spans f1_exact, f1_partial, character_alpha, unitised_alpha; of boxes f1_iou50, f1_iou75, mean_iou; of rankings kendall_w, spearman, kendall_tau; of texts text_similarity, word_similarity, exact_match.';
comment on column region_agreement.n_regions is 'Spans or boxes in these items; 0 of rankings and texts.';
comment on table region_windows is
    'One row per question, window, label or all, and coefficient: agreement on spans, boxes, rankings or texts. The last run of a question replaces its rows.';
comment on column region_windows.coefficient is
    'Of spans f1_exact, f1_partial, character_alpha, unitised_alpha; of boxes f1_iou50, f1_iou75, mean_iou; of rankings kendall_w, spearman, kendall_tau; of texts text_similarity, word_similarity, exact_match.';
comment on column region_windows.n_regions is 'Spans or boxes in these items; 0 of rankings and texts.';

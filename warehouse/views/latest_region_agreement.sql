-- One row per question, pair of raters or all, label or all, and coefficient: agreement on spans, boxes, rankings or texts.
create or replace view latest_region_agreement as
select
    a.question, a.rater_a, a.rater_b, a.label, a.coefficient, a.estimate, a.se, a.low, a.high, a.confidence,
    a.interval_method, a.n_items, a.n_raters, a.n_regions, a.reason, a.detail, a.run_id, r.started_at as evaluated_at
from region_agreement as a
inner join latest_runs as r on a.run_id = r.run_id and a.question = r.question and r.results = 'region_agreement'
where r.kind = 'evaluate'
order by a.question, a.rater_a nulls first, a.rater_b, a.label nulls first, a.coefficient;

comment on view latest_region_agreement is
    'One row per question, pair of raters or all, label or all, and coefficient: agreement on spans, boxes, rankings or texts.';
comment on column latest_region_agreement.coefficient is
    'Of spans f1_exact, f1_partial, character_alpha, unitised_alpha; of boxes f1_iou50, f1_iou75, mean_iou; of rankings kendall_w, spearman, kendall_tau; of texts text_similarity, word_similarity, exact_match.';
comment on column latest_region_agreement.n_items is
    'Items that two raters or more worked on; of spearman, kendall_tau and kendall_w those for which the figure is defined.';
comment on column latest_region_agreement.n_raters is 'Raters of these items; of spearman and kendall_tau those of the pairs for which it is defined.';
comment on column latest_region_agreement.n_regions is 'Spans or boxes in these items; 0 of rankings and texts.';

-- One row per question with spans, boxes, rankings or texts: the F1 of identical spans, or of boxes that overlap by half,
-- Kendall's W, or the similarity of texts.
select question, n_regions, n_items, n_raters, coefficient, estimate, low, high
from latest_region_agreement
where
    rater_a is null and label is null
    and coefficient in ('f1_exact', 'f1_iou50', 'kendall_w', 'text_similarity')
order by question, coefficient;

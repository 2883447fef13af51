-- The agreement of each pair of raters on spans, boxes, rankings or texts, and that of all: what names a rater who
-- stands out.
select *
from latest_region_agreement
where
    label is null
    and ($question is null or question = $question)
    and (rater_a is null or coefficient in ('f1_exact', 'f1_iou50', 'spearman', 'text_similarity'))
order by question, rater_a nulls first, rater_b, coefficient;

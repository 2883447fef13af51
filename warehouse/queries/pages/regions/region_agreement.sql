-- The agreement on spans, boxes, rankings or texts, by question and coefficient; with $question, also that of each pair
-- of raters and on each label.
select *
from latest_region_agreement
where case when $question is null then rater_a is null and label is null else question = $question end
order by question, rater_a nulls first, rater_b, label nulls first, coefficient;

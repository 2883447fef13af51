-- The pairs of raters of the questions in which kappa or weighted kappa of a pair surely lies below 0.4; with $question,
-- of this one.
with pairs as (
    select
        question, rater_a, rater_b, coefficient, estimate, low, high, n_items, weighted_kappa, weighted_low, weighted_high
    from latest_pairwise_agreement
    where coefficient = 'cohen_kappa' and ($question is null or question = $question)
)

select *
from pairs
where question in (select question from pairs where high < 0.4 or weighted_high < 0.4)
order by question, rater_a, rater_b;

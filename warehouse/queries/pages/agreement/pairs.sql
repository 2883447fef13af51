-- The agreement of each pair of raters of a question; with $rater, of the pairs with this rater.
select *
from latest_pairwise_agreement
where question = $question and ($rater is null or rater_a = $rater or rater_b = $rater);

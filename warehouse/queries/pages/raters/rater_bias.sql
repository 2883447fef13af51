-- The share of each label of a rater beside that of the others on the same items.
select rater, label, n_items, own_share, others_share, bias, low, high, confidence, reason
from latest_rater_bias
where question = $question and rater = $rater
order by abs(bias) desc nulls last, label
limit $n_rows;

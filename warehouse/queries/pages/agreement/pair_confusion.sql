-- What two raters, $rater and $other, say of the same items.
select *
from confusion($question, $rater, $other)
order by n_items desc, label_a, label_b
limit $n_rows;

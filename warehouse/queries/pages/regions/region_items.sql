-- The items on which raters differ most: the agreement on an item by the coefficient that stands for the question. Of
-- equal items those with more to compare come first.
select item, sum("value") / sum(weight) as agreement, count(*) over () as n_items
from item_distances
where question = $question and coefficient in ('f1_exact', 'f1_iou50', 'kendall_w', 'text_similarity')
group by item
having sum(weight) > 0 and sum("value") < sum(weight)
order by agreement, sum(weight) desc, item
limit $n_rows;

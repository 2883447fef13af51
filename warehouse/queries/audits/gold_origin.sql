-- How many items of a question have gold, and how many of them were drawn for an audit.
select count(distinct r.item) as n_gold, count(distinct a.item) as n_drawn
from current_ratings as r left join audit_items as a on r.question = a.question and r.item = a.item
where r.question = $question and r.rater_kind = 'gold';

-- How many items of a question have a most probable label.
select count(*) as n_items
from item_consensus
where question = $question and probability is not null;

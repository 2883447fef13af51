-- The share of the items that have each label.
select *
from latest_label_rates
where question = $question and ($system is null or system is null or system = $system);

-- How far people agree on each item, by tenths.
select *
from item_agreement($question);

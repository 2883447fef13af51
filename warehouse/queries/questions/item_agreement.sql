-- How many items of a question have so large a share of pairs of human ratings that agree, by tenths.
select question, agreement_low, agreement_high, n_items, share
from item_agreement($question);

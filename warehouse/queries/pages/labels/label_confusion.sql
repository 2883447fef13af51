-- The labels that people give to the same items, the most frequent pairs first.
select *
from label_confusion($question)
limit $n_rows;

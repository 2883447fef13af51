-- The first items of the queue of each question, with the number of all in n_doubtful.
select *, count(*) over (partition by question) as n_doubtful
from disagreement_queue
qualify row_number() over (
    partition by question order by expected_gain desc nulls last, entropy desc, item
) <= $n_items
order by question, expected_gain desc nulls last, entropy desc, item;

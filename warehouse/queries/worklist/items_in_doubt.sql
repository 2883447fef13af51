-- One row per item at the head of a question's disagreement_queue, without the items in $answered; n_doubtful is the
-- length of that whole queue.
select item, item_text, label as probable_label, probability, expected_gain, count(*) over () as n_doubtful
from disagreement_queue
where question = $question and item not in (select unnest($answered::varchar[]))
order by expected_gain desc nulls last, entropy desc, item
limit $n_items;

-- One row per question and item about whose label there is doubt, those first whose next rating is worth most.
create or replace view disagreement_queue as
select question, item, label, probability, entropy, expected_gain, n_ratings, run_id
from item_consensus
where entropy > 0
order by expected_gain desc nulls last, entropy desc, question, item;

comment on view disagreement_queue is
    'One row per question and item about whose label there is doubt; first those whose next rating is worth most.';
comment on column disagreement_queue.question is 'The question.';
comment on column disagreement_queue.item is 'The item.';
comment on column disagreement_queue.label is 'The label that is most probably right.';
comment on column disagreement_queue.probability is 'Its probability.';
comment on column disagreement_queue.entropy is 'Doubt about the right label, in bits.';
comment on column disagreement_queue.expected_gain is
    'Bits of that doubt that one more rating by an average rater is expected to remove.';
comment on column disagreement_queue.n_ratings is 'Ratings of the item that count.';
comment on column disagreement_queue.run_id is 'The run that computed it.';

-- One row per question and item about whose label there is doubt, the most doubtful first.
create or replace view disagreement_queue as
select question, item, label, probability, entropy, n_ratings, run_id
from item_consensus
where entropy > 0
order by entropy desc, question, item;

comment on view disagreement_queue is
    'One row per question and item about whose label there is doubt, the most doubtful first: what to look at next.';
comment on column disagreement_queue.question is 'The question.';
comment on column disagreement_queue.item is 'The item.';
comment on column disagreement_queue.label is 'The label that is most probably right.';
comment on column disagreement_queue.probability is 'Its probability.';
comment on column disagreement_queue.entropy is 'Doubt about the right label, in bits.';
comment on column disagreement_queue.n_ratings is 'Ratings of the item that count.';
comment on column disagreement_queue.run_id is 'The run that computed it.';

-- One row per question and item: the consensus of its raters, as the latest run computed it for the item's pattern.
create or replace view item_consensus as
select
    consensus.run_id, questions.question, items.item, consensus.label, consensus.probability, consensus.entropy,
    consensus.n_ratings, consensus.expected_gain, consensus.method
from internal.pattern_consensus as consensus
inner join internal.item_patterns using (pattern_id)
inner join internal.items using (item_id)
inner join internal.questions on consensus.question_id = questions.question_id;

comment on view item_consensus is
    'One row per question and item, of the latest run. An item whose ratings have changed since may be missing until the next run.';
comment on column item_consensus.run_id is 'The run that computed it.';
comment on column item_consensus.label is 'The label that is most probably right.';
comment on column item_consensus.probability is 'Its probability.';
comment on column item_consensus.entropy is 'Doubt about the right label, in bits: 0 is none.';
comment on column item_consensus.n_ratings is 'Ratings of the item that count.';
comment on column item_consensus.expected_gain is
    'Bits of doubt that one more rating by an average rater is expected to remove, if it counts in full. mixture and glad count ratings for less.';
comment on column item_consensus.method is
    'How the label was chosen: mixture, glad, dawid_skene, lehner, or majority where the raters'' accuracy is undefined.';

-- One row per question and item: the consensus of its raters, as the latest run computed it for the item's pattern.
create or replace view item_consensus as
with gold as (
    select r.pattern_id, case when count(distinct r.label_id) = 1 then any_value(l.label) end as gold_label
    from internal.pattern_ratings as r
    inner join internal.patterns as p using (pattern_id)
    inner join internal.labels as l using (label_id)
    left join internal.declared_kinds as k on p.question_id = k.question_id and r.rater_id = k.rater_id
    where coalesce(k.rater_kind, r.rater_kind) = 'gold'
    group by r.pattern_id
)

select
    consensus.run_id, questions.question, items.item, consensus.label, consensus.probability, consensus.entropy,
    consensus.n_ratings, consensus.expected_gain, consensus.method,
    gold.gold_label
from internal.pattern_consensus as consensus
inner join internal.item_patterns using (pattern_id)
inner join internal.items using (item_id)
inner join internal.questions on consensus.question_id = questions.question_id
left join gold on consensus.pattern_id = gold.pattern_id;

comment on view item_consensus is
    'One row per question and item, of the latest run. An item whose ratings have changed since may be missing until the next run.';
comment on column item_consensus.run_id is 'The run that computed it.';
comment on column item_consensus.label is 'The label that is most probably right by the annotators'' ratings. Gold does not change it: see gold_label.';
comment on column item_consensus.probability is 'Its probability.';
comment on column item_consensus.entropy is 'Doubt about the right label, in bits: 0 is none.';
comment on column item_consensus.n_ratings is 'Ratings of the item that count.';
comment on column item_consensus.expected_gain is
    'Bits of doubt that one more rating by an average rater is expected to remove, if it counts in full. mixture and glad count ratings for less.';
comment on column item_consensus.gold_label is
    'The right label by gold, as of an adjudicated worklist. Null without gold, and where gold contradicts itself.';
comment on column item_consensus.method is
    'How the label was chosen: mixture, glad, dawid_skene, lehner, or majority where the raters'' accuracy is undefined.';

-- One row per question and item about whose label there is doubt, those first whose next rating is worth most.
-- A label with a probability of 0.95 or more is certain: its item is left out. Few annotators who all agree hardly get
-- beyond that, because the probabilities are calibrated. Left out is also an item with gold, whose right label is known.
create or replace view disagreement_queue as
with gold_items as (
    select distinct r.question_id, r.item_id
    from internal.ratings as r
    left join internal.declared_kinds as d on r.question_id = d.question_id and r.rater_id = d.rater_id
    where coalesce(d.rater_kind, r.rater_kind) = 'gold' and r.superseded_at is null and r.deleted_at is null
),

doubtful as (
    select
        q.question, i.item_id, i.item, c.label, c.probability, c.entropy, c.expected_gain, c.n_ratings, c.run_id
    from internal.pattern_consensus as c
    inner join internal.item_patterns as p using (pattern_id)
    inner join internal.items as i using (item_id)
    inner join internal.questions as q on c.question_id = q.question_id
    anti join gold_items as g on c.question_id = g.question_id and i.item_id = g.item_id
    where c.entropy > 0 and coalesce(c.probability, 0) < 0.95
),

-- The metadata that is a text by its name, the likeliest first; else the longest that has three words.
told as (
    select
        m.item_id, m.key, m.value,
        nullif(list_position([
            'text', 'item_text', 'content', 'message', 'sentence', 'prompt', 'question', 'input', 'query', 'comment',
            'review', 'utterance', 'tweet', 'post', 'body', 'title', 'document', 'passage', 'response', 'output', 'answer'
        ], lower(m.key)), 0) as place
    from internal.item_metadata as m
    where m.value <> ''
),

texts as (
    select t.item_id, first(t.value order by t.place nulls last, length(t.value) desc, t.key) as item_text
    from told as t semi join doubtful as d on t.item_id = d.item_id
    where t.place is not null or t.value like '% % %'
    group by t.item_id
)

select d.question, d.item, d.label, d.probability, d.entropy, d.expected_gain, d.n_ratings, d.run_id, t.item_text
from doubtful as d left join texts as t on d.item_id = t.item_id
order by d.expected_gain desc nulls last, d.entropy desc, d.question, d.item;

comment on view disagreement_queue is
    'One row per question and item with a doubtful label (its probability is below 0.95, and it has no gold). The item whose next rating is worth most comes first.';
comment on column disagreement_queue.label is 'The label that is most probably right.';
comment on column disagreement_queue.probability is 'Its probability.';
comment on column disagreement_queue.entropy is 'Doubt about the right label, in bits.';
comment on column disagreement_queue.expected_gain is
    'Bits of that doubt that one more rating by an average rater is expected to remove, if it counts in full. mixture and glad count ratings for less.';
comment on column disagreement_queue.n_ratings is 'Ratings of the item that count.';
comment on column disagreement_queue.run_id is 'The run that computed it.';
comment on column disagreement_queue.item_text is
    'Its text from the metadata of the item: text, prompt or a similar key, else the longest value of three words or more.';

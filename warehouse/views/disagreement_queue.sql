-- One row per question and item about whose label there is doubt, those first whose next rating is worth most.
-- A label with a probability of 0.95 or more is certain: its item is left out. Few annotators who all agree hardly get
-- beyond that, because the probabilities are calibrated. Left out is also an item with gold, whose right label is known.
create or replace view disagreement_queue as
with gold_items as (
    select distinct ratings.question_id, ratings.item_id
    from internal.ratings
    left join internal.declared_kinds as declared
        on ratings.question_id = declared.question_id and ratings.rater_id = declared.rater_id
    where
        coalesce(declared.rater_kind, ratings.rater_kind) = 'gold' and ratings.superseded_at is null
        and ratings.deleted_at is null
),

doubtful as (
    select
        questions.question, items.item_id, items.item, consensus.label, consensus.probability, consensus.entropy,
        consensus.expected_gain, consensus.n_ratings, consensus.run_id
    from internal.pattern_consensus as consensus
    inner join internal.item_patterns using (pattern_id)
    inner join internal.items using (item_id)
    inner join internal.questions on consensus.question_id = questions.question_id
    anti join gold_items on consensus.question_id = gold_items.question_id and items.item_id = gold_items.item_id
    where consensus.entropy > 0 and coalesce(consensus.probability, 0) < 0.95
),

-- The metadata that is a text by its name, the likeliest first; else the longest that has three words.
told as (
    select
        metadata.item_id, metadata.key, metadata.value,
        nullif(list_position([
            'text', 'item_text', 'content', 'message', 'sentence', 'prompt', 'question', 'input', 'query', 'comment',
            'review', 'utterance', 'tweet', 'post', 'body', 'title', 'document', 'passage', 'response', 'output', 'answer'
        ], lower(metadata.key)), 0) as place
    from internal.item_metadata as metadata
    where metadata.value <> ''
),

texts as (
    select
        told.item_id, first(told.value order by told.place nulls last, length(told.value) desc, told.key) as item_text
    from told semi join doubtful on told.item_id = doubtful.item_id
    where told.place is not null or told.value like '% % %'
    group by told.item_id
)

select
    doubtful.question, doubtful.item, doubtful.label, doubtful.probability, doubtful.entropy, doubtful.expected_gain,
    doubtful.n_ratings, doubtful.run_id, texts.item_text
from doubtful left join texts on doubtful.item_id = texts.item_id
order by doubtful.expected_gain desc nulls last, doubtful.entropy desc, doubtful.question, doubtful.item;

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

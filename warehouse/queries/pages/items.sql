-- Items about whose label there is doubt, those first whose next rating is worth most.
-- With $rater or $system: items to which it gave another label than the most probable one. With $batch: items that the
-- batch rated. With $slice (key=value): items with this metadata. With $since: items rated since that day.
with doubtful as (
    select c.question, c.item, c.label, c.probability, c.entropy, c.expected_gain, c.n_ratings
    from item_consensus as c
    where ($question is null or c.question = $question) and c.entropy > 0 and coalesce(c.probability, 0) < 0.99
),

wanted as (
    select d.*
    from doubtful as d
    anti join (
        from current_ratings where rater_kind = 'gold' and ($question is null or question = $question)
    ) as g on d.question = g.question and d.item = g.item
    where
        (
            coalesce($rater, $system) is null
            or exists (
                from current_ratings as r
                where
                    r.rater = coalesce($rater, $system) and r.question = d.question and r.item = d.item
                    and r.label <> d.label
            )
        )
        and (
            $since is null
            or exists (
                from current_ratings as r
                where
                    r.rated_at >= $since::date and r.question = d.question and r.item = d.item
                    and r.rater = coalesce($rater, $system, r.rater)
            )
        )
        and (
            $batch is null
            or exists (
                from current_ratings as r
                where r.batch_id = $batch and r.question = d.question and r.item = d.item
            )
        )
        and (
            $slice is null
            or exists (
                from item_metadata as m
                where m.question = d.question and m.item = d.item and m.key || '=' || m.value = $slice
            )
        )
),

counted as (
    select *, count(*) over () as n_doubtful
    from wanted
    order by expected_gain desc nulls last, entropy desc, question, item
    limit $n_rows
),

-- The metadata that is a text by its name, the likeliest first; else the longest that has three words.
told as (
    select
        m.question, m.item, m.value, length(m.value) as n_characters, m.key,
        nullif(list_position([
            'text', 'item_text', 'content', 'message', 'sentence', 'prompt', 'question', 'input', 'query', 'comment',
            'review', 'utterance', 'tweet', 'post', 'body', 'title', 'document', 'passage', 'response', 'output', 'answer'
        ], lower(m.key)), 0) as place
    from item_metadata as m semi join counted as c on m.question = c.question and m.item = c.item
    where m.value <> ''
),

texts as (
    select question, item, first(value order by place nulls last, n_characters desc, key) as item_text
    from told
    where place is not null or value like '% % %'
    group by question, item
),

given as (
    select r.question, r.item, string_agg(r.rater || ': ' || r.label, ', ' order by r.rater) as labels_given
    from current_ratings as r semi join counted as c on r.question = c.question and r.item = c.item
    group by r.question, r.item
)

select c.*, t.item_text, g.labels_given
from counted as c
left join texts as t on c.question = t.question and c.item = t.item
left join given as g on c.question = g.question and c.item = g.item
order by c.expected_gain desc nulls last, c.entropy desc, c.question, c.item;

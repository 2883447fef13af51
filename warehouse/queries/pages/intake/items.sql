-- Items about whose label there is doubt, those first whose next rating is worth most.
-- With $rater or $system: items to which it gave another label than the most probable one. With $batch: items that the
-- batch rated. With $slice (key=value): items with this metadata. With $since: items rated since that day, in the time
-- zone of the project; a rating without a time counts on the day on which its file arrived.
with current as not materialized (
    select
        r.question_id, r.item_id, r.rater_id, r.label_id, r.batch_no, r.rater_kind,
        (coalesce(r.rated_at, r.ingested_at) at time zone (select timezone from internal.project_time))::date as day
    from internal.ratings as r
    where r.superseded_at is null and r.deleted_at is null
),

-- What raters gave is read from the patterns: there are far fewer of them than ratings.
gold_patterns as (
    select r.pattern_id
    from internal.pattern_ratings as r
    inner join internal.patterns as p using (pattern_id)
    left join internal.declared_kinds as d on p.question_id = d.question_id and r.rater_id = d.rater_id
    where coalesce(d.rater_kind, r.rater_kind) = 'gold'
),

said as (
    select r.pattern_id, any_value(l.label) as label
    from internal.pattern_ratings as r inner join internal.labels as l using (label_id)
    where r.rater_id = (select rater_id from internal.raters where rater = coalesce($rater, $system))
    group by r.pattern_id
),

wanted as materialized (
    select p.item_id, c.question_id, c.pattern_id, coalesce(c.expected_gain, -1) as gain, c.entropy
    from internal.pattern_consensus as c
    inner join internal.questions as q on c.question_id = q.question_id and ($question is null or q.question = $question)
    inner join internal.item_patterns as p using (pattern_id)
    left join said as s on c.pattern_id = s.pattern_id
    where
        c.pattern_id not in (select pattern_id from gold_patterns)
        and c.entropy > 0 and coalesce(c.probability, 0) < 0.95
        and (coalesce($rater, $system) is null or s.label <> c.label)
        and (
            $since is null
            or p.item_id in (
                select item_id
                from current
                where
                    day >= $since::date
                    and (
                        coalesce($rater, $system) is null
                        or rater_id = (select rater_id from internal.raters where rater = coalesce($rater, $system))
                    )
            )
        )
        and (
            $batch is null
            or p.item_id in (
                select item_id
                from current
                where batch_no = (select batch_no from internal.batches where batch_id = $batch)
            )
        )
        and (
            $slice is null
            or p.item_id in (select item_id from internal.item_metadata where key || '=' || value = $slice)
        )
),

-- The names of all items are many: only those that tie with the last item that is shown are looked up.
best as (
    select gain, entropy
    from wanted
    order by gain desc, entropy desc
    limit $n_rows
),

last_shown as materialized (
    select gain, entropy
    from best
    order by gain, entropy
    limit 1
),

shown as (
    select q.question, i.item, w.*
    from wanted as w
    inner join internal.items as i using (item_id)
    inner join internal.questions as q on w.question_id = q.question_id
    where
        w.gain >= (select gain from last_shown)
        and (w.gain > (select gain from last_shown) or w.entropy >= (select entropy from last_shown))
    order by w.gain desc, w.entropy desc, q.question, i.item
    limit $n_rows
),

-- The metadata that is a text by its name, the likeliest first; else the longest that has three words.
told as (
    select
        m.item_id, m.value, m.key,
        nullif(list_position([
            'text', 'item_text', 'content', 'message', 'sentence', 'prompt', 'question', 'input', 'query', 'comment',
            'review', 'utterance', 'tweet', 'post', 'body', 'title', 'document', 'passage', 'response', 'output', 'answer'
        ], lower(m.key)), 0) as place
    from internal.item_metadata as m semi join shown as s on m.item_id = s.item_id
    where m.value <> ''
),

texts as (
    select item_id, first(value order by place nulls last, length(value) desc, key) as item_text
    from told
    where place is not null or value like '% % %'
    group by item_id
),

given as (
    select r.item_id, string_agg(a.rater || ': ' || l.label, ', ' order by a.rater) as labels_given
    from current as r
    semi join shown as s on r.item_id = s.item_id
    inner join internal.raters as a using (rater_id)
    inner join internal.labels as l using (label_id)
    group by r.item_id
)

select
    s.question, s.item, c.label, c.probability, c.entropy, c.expected_gain, c.n_ratings,
    (select count(*) from wanted) as n_doubtful, t.item_text, g.labels_given
from shown as s
inner join internal.pattern_consensus as c on s.question_id = c.question_id and s.pattern_id = c.pattern_id
left join texts as t on s.item_id = t.item_id
left join given as g on s.item_id = g.item_id
order by s.gain desc, s.entropy desc, s.question, s.item;

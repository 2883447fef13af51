-- One row per item, pair of models, order and rater of one question: the vote that counts, as of $moment or now (null).
-- rater_kind is that of the export.
with latest as (
    select *
    from internal.preferences
    where
        question_id = (select question_id from internal.questions where question = $question)
        and ingested_at <= coalesce($moment, 'infinity'::timestamptz)
        and (withdrawn_at is null or withdrawn_at > coalesce($moment, 'infinity'::timestamptz))
    qualify row_number() over (
        partition by item, model_a, model_b, shown_first, rater_id
        order by batch_no desc, row_number desc nulls last, vote_id desc
    ) = 1
)

select
    p.item, p.cluster, a.rater, p.rater_kind::varchar as rater_kind,
    if(p.shown_first = 'model_a', p.model_a, p.model_b) as first,
    if(p.shown_first = 'model_a', p.model_b, p.model_a) as second,
    case p.winner when 'tie' then 'tie' when p.shown_first then 'first' else 'second' end as outcome
from latest as p inner join internal.raters as a using (rater_id)
order by p.item, first, second, a.rater;

-- One row per item and rater of one question: the work that counts, as of $moment or now (null). rater_kind is that of
-- the export; worked_at is when the rater did it, or else when it arrived.
with latest as (
    select *
    from internal.region_work
    where
        question_id = (select question_id from internal.questions where question = $question)
        and ingested_at <= coalesce($moment, 'infinity'::timestamptz)
        and (withdrawn_at is null or withdrawn_at > coalesce($moment, 'infinity'::timestamptz))
        and (deleted_at is null or deleted_at > coalesce($moment, 'infinity'::timestamptz))
    qualify row_number() over (partition by item, rater_id order by batch_no desc, work_id desc) = 1
)

select
    p.item, a.rater, p.rater_kind::varchar as rater_kind, p.regions, p.text_length, b.batch_id,
    coalesce(p.rated_at, p.ingested_at) as worked_at
from latest as p
inner join internal.raters as a using (rater_id)
inner join internal.batches as b using (batch_no)
order by p.item, a.rater;

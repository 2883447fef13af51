-- One row per item, system and version of one question, for systems that answered under two versions or more: the
-- latest answer of each version, even if a later version has replaced it, as of $moment or now (null). pattern_id: the
-- item's pattern now. first_at: the time of the version's first answer (null if unknown). `several` comes first because
-- few raters have several versions. $systems and $gold: the kinds that the settings of that time declared; null: those
-- that are declared now.
with several as (
    select rater_id
    from internal.ratings
    where
        question_id = (select question_id from internal.questions where question = $question)
        and system_version is not null
    group by rater_id
    having min(system_version) <> max(system_version)
),

answers as (
    select r.item_id, r.rater_id, r.system_version, r.label_id, r.rated_at, r.rating_id
    from internal.ratings as r
    inner join internal.raters as n using (rater_id)
    left join internal.declared_kinds as d on r.question_id = d.question_id and r.rater_id = d.rater_id
    where
        r.question_id = (select question_id from internal.questions where question = $question)
        and r.rater_id in (from several) and case
            when $systems::varchar[] is null then coalesce(d.rater_kind, r.rater_kind)::varchar
            when list_contains($gold::varchar[], n.rater) then 'gold'
            when list_contains($systems::varchar[], n.rater) then 'system'
            else r.rater_kind::varchar
        end = 'system'
        and r.system_version is not null
        and r.ingested_at <= coalesce($moment, 'infinity'::timestamptz)
        and (r.deleted_at is null or r.deleted_at > coalesce($moment, 'infinity'::timestamptz))
)

select
    i.item, a.rater, v.system_version, l.label, p.pattern_id,
    min(v.rated_at) over (partition by v.rater_id, v.system_version) as first_at
from answers as v
inner join internal.items as i using (item_id)
inner join internal.raters as a using (rater_id)
inner join internal.labels as l using (label_id)
left join internal.item_patterns as p on v.item_id = p.item_id
where v.rater_id in (select rater_id from answers group by rater_id having count(distinct system_version) > 1)
qualify row_number() over (
    partition by v.item_id, v.rater_id, v.system_version order by v.rated_at desc nulls last, v.rating_id desc
) = 1
order by i.item, a.rater, v.system_version;

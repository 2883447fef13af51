-- One row per item of an audited question that has or had gold and was not drawn: when it first came, when its first gold
-- came, its stratum in stratified samples, its rating pattern now, and whether it has gold now. An item on which gold
-- raters differ has none.
with strata as (
    select m.item, m.value as stratum
    from item_metadata as m
    where
        m.question = $question
        and m.key in (select a.stratify_by from audits as a where a.question = $question)
)

select
    r.item, min(r.ingested_at) as first_at, min(r.ingested_at) filter (where r.rater_kind = 'gold') as gold_at,
    coalesce(any_value(s.stratum), '') as stratum, any_value(p.pattern_id) as pattern_id,
    count(distinct r.label) filter (
        where r.rater_kind = 'gold' and r.superseded_at is null and r.deleted_at is null
    ) = 1 as has_gold
from ratings as r
left join internal.questions as q on r.question = q.question
left join internal.items as i on q.question_id = i.question_id and r.item = i.item
left join internal.item_patterns as p on i.item_id = p.item_id
left join strata as s on r.item = s.item
where
    r.question = $question
    and exists (select 1 from audits as a where a.question = $question)
    and r.item in (select g.item from ratings as g where g.question = $question and g.rater_kind = 'gold')
    and r.item not in (select d.item from audit_items as d where d.question = $question)
group by r.item
order by r.item;

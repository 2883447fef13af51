-- One row per item that was drawn for a question: its sample and stratum, when it first came, its rating pattern now, and
-- whether it has gold now. An item on which gold raters differ has none.
select
    d.item, d.audit_id, coalesce(d.stratum, '') as stratum,
    min(r.ingested_at) as first_at, any_value(p.pattern_id) as pattern_id,
    count(distinct r.label) filter (
        where r.rater_kind = 'gold' and r.superseded_at is null and r.deleted_at is null
    ) = 1 as has_gold
from audit_items as d
inner join ratings as r on d.question = r.question and d.item = r.item
left join internal.questions as q on d.question = q.question
left join internal.items as i on q.question_id = i.question_id and d.item = i.item
left join internal.item_patterns as p on i.item_id = p.item_id
where d.question = $question
group by d.item, d.audit_id, d.stratum
order by d.item;

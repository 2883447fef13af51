-- One row per day and pattern of a question: the items that a system answered, by the day of its latest answer.
with answered as (
    select r.item_id, max(coalesce(r.rated_at, r.ingested_at)) as latest
    from internal.ratings as r
    left join internal.declared_kinds as d on r.question_id = d.question_id and r.rater_id = d.rater_id
    where
        r.question_id = (select question_id from internal.questions where question = $question)
        and r.superseded_at is null and r.deleted_at is null and coalesce(d.rater_kind, r.rater_kind) = 'system'
    group by r.item_id
)

select
    (a.latest at time zone (select timezone from internal.project_time))::date as day, p.pattern_id,
    count(*) as n_items
from answered as a inner join internal.item_patterns as p using (item_id)
group by all
order by day, p.pattern_id;

-- One row per pattern of a question and rating in it, with the number of items that have the pattern; in no order.
with shown as (
    select c.pattern_id, any_value(c.question_id) as question_id, sum(c.n_items)::bigint as n_items
    from internal.pattern_counts as c
    where c.question_id = (select question_id from internal.questions where question = $question)
    group by c.pattern_id
)

select
    s.pattern_id, a.rater, coalesce(d.rater_kind, p.rater_kind)::varchar as rater_kind, l.label, s.n_items
from shown as s
inner join internal.pattern_ratings as p using (pattern_id)
inner join internal.raters as a using (rater_id)
inner join internal.labels as l using (label_id)
left join internal.declared_kinds as d on s.question_id = d.question_id and p.rater_id = d.rater_id;

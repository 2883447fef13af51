-- One row per rater of a question and label: the kind of the rater (as declared, else as read) and the number of items.
select
    a.rater, coalesce(d.rater_kind, p.rater_kind)::varchar as rater_kind, l.label, sum(c.n_items)::bigint as n_items
from internal.pattern_counts as c
inner join internal.pattern_ratings as p using (pattern_id)
inner join internal.raters as a using (rater_id)
inner join internal.labels as l using (label_id)
left join internal.declared_kinds as d on c.question_id = d.question_id and p.rater_id = d.rater_id
where c.question_id = (select question_id from internal.questions where question = $question)
group by all;

-- One row per item and rater of one question: the content of the rating in force.
select i.item, a.rater, coalesce(d.rater_kind, r.rater_kind)::varchar as rater_kind, l.label
from internal.ratings as r
inner join internal.items as i using (item_id)
inner join internal.raters as a using (rater_id)
inner join internal.labels as l using (label_id)
left join internal.declared_kinds as d on r.question_id = d.question_id and r.rater_id = d.rater_id
where
    r.question_id = (select question_id from internal.questions where question = $question)
    and r.superseded_at is null and r.deleted_at is null;

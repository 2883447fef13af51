-- The other questions with a sample of the same items as a sample of this question, and a label of the same name.
with samples as (
    select question, audit_id, list(item order by item) as items
    from audit_items
    group by question, audit_id
),

labels as (
    select q.question, c.label_id
    from internal.label_counts as c inner join internal.questions as q using (question_id)
)

select distinct o.question
from samples as s inner join samples as o on s.items = o.items
where
    s.question = $question and o.question <> $question
    and exists (
        select 1
        from labels as a inner join labels as b using (label_id)
        where a.question = $question and b.question = o.question
    )
order by o.question;

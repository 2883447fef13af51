-- One row per question and rating of the patterns that it shows on the days in `incoming_days` (question, day): its kind
-- as declared, else as read.
with shown as (
    select distinct i.question, c.question_id, c.pattern_id
    from incoming_days as i
    inner join internal.questions as q using (question)
    inner join internal.pattern_counts as c on q.question_id = c.question_id and i.day = c.day
)

select
    s.question, s.pattern_id as pattern, a.rater, coalesce(d.rater_kind, p.rater_kind)::varchar as rater_kind, l.label
from shown as s
inner join internal.pattern_ratings as p using (pattern_id)
inner join internal.raters as a using (rater_id)
inner join internal.labels as l using (label_id)
left join internal.declared_kinds as d on s.question_id = d.question_id and p.rater_id = d.rater_id
order by s.question, pattern, a.rater;

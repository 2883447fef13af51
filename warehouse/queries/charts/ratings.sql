-- One row per rating of the patterns that a question shows on these $days: its kind as declared, else as read.
with shown as (
    select distinct question_id, pattern_id
    from internal.pattern_counts
    where
        question_id = (select question_id from internal.questions where question = $question)
        and day in (select unnest($days::date[]))
)

select s.pattern_id as pattern, a.rater, coalesce(d.rater_kind, p.rater_kind)::varchar as rater_kind, l.label
from shown as s
inner join internal.pattern_ratings as p using (pattern_id)
inner join internal.raters as a using (rater_id)
inner join internal.labels as l using (label_id)
left join internal.declared_kinds as d on s.question_id = d.question_id and p.rater_id = d.rater_id
order by pattern, a.rater;

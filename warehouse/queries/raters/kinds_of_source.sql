-- One row per question with ratings in force by $rater, from files of $source, that were not read as $kind: how many.
-- What the settings of a question say of the rater comes first. `other_kinds` looks at the patterns, so the ratings are
-- read only if any rating by the rater is of another kind.
with other_kinds as (
    select distinct p.rater_id, c.question_id
    from internal.raters as a
    inner join internal.pattern_ratings as p using (rater_id)
    inner join internal.pattern_counts as c using (pattern_id)
    where a.rater = $rater and p.rater_kind::varchar <> $kind
)

select q.question, count(*) as n_ratings
from internal.ratings as r
inner join other_kinds as o using (rater_id, question_id)
inner join internal.questions as q using (question_id)
inner join internal.batches as i using (batch_no)
inner join batches as b using (batch_id)
anti join internal.declared_kinds as d on r.question_id = d.question_id and r.rater_id = d.rater_id
where r.superseded_at is null and r.deleted_at is null and b.source = $source and r.rater_kind::varchar <> $kind
group by q.question
order by q.question;

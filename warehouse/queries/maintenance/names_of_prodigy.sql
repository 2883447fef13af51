-- One row per question and pair of raters of Prodigy's exports that may be one person: one name is the other after a
-- hyphen, as where a data set's name was cut from it in one file only. Two raters who stand in one file are two people.
with brought as (
    select distinct r.question_id, r.rater_id, r.batch_no
    from internal.ratings as r
    inner join internal.batches as n using (batch_no)
    inner join batches as b using (batch_id)
    where b.reader = 'prodigy' and r.superseded_at is null and r.deleted_at is null
),

raters as (
    select distinct b.question_id, b.rater_id, a.rater
    from brought as b inner join internal.raters as a using (rater_id)
)

select q.question, whole.rater as name, cut.rater as also_named
from raters as whole
inner join raters as cut on whole.question_id = cut.question_id and ends_with(whole.rater, '-' || cut.rater)
inner join internal.questions as q on whole.question_id = q.question_id
where not exists (
    select 1
    from brought as a inner join brought as b on a.batch_no = b.batch_no and a.question_id = b.question_id
    where a.rater_id = whole.rater_id and b.rater_id = cut.rater_id and a.question_id = whole.question_id
)
order by all;

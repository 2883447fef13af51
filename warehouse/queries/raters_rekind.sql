-- Ratings of raters whose kind was declared otherwise since; then the questions concerned are counted up.
create or replace temp table rekinded as
select r.rating_id, r.question_id, k.rater_kind
from incoming_kinds as k
inner join internal.questions as q using (question)
inner join internal.raters as a using (rater)
inner join internal.ratings as r on q.question_id = r.question_id and a.rater_id = r.rater_id
where r.rater_kind::varchar <> k.rater_kind;

update internal.ratings as r
set rater_kind = k.rater_kind::internal.rater_kind
from rekinded as k
where r.rating_id = k.rating_id;

update internal.questions
set revision = revision + 1
where question_id in (select question_id from rekinded);

select distinct q.question
from rekinded inner join internal.questions as q using (question_id)
order by q.question;

-- Replace the declared kinds of raters. Questions where this changes the kind of a rating count up their revision, and
-- are returned.
create or replace temp table declared_now as
select q.question_id, a.rater_id, k.rater_kind::internal.rater_kind as rater_kind
from incoming_kinds as k
inner join internal.questions as q using (question)
inner join internal.raters as a using (rater);

create or replace temp table rekinded as
with concerned as (
    select question_id, rater_id from declared_now
    union
    select question_id, rater_id from internal.declared_kinds
)

select distinct r.question_id
from (from internal.ratings semi join concerned using (question_id, rater_id)) as r
left join declared_now as n using (question_id, rater_id)
left join internal.declared_kinds as o using (question_id, rater_id)
where coalesce(n.rater_kind, r.rater_kind) <> coalesce(o.rater_kind, r.rater_kind);

delete from internal.declared_kinds;

insert into internal.declared_kinds
from declared_now;

update internal.questions
set revision = revision + 1
where question_id in (select question_id from rekinded);

select q.question
from rekinded inner join internal.questions as q using (question_id)
order by q.question;

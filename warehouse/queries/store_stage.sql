-- Gives the texts of the batch their keys: new ones enter the dictionaries, then `staged` holds the rows keyed.
insert into internal.questions
select
    (select coalesce(max(question_id), 0) from internal.questions) + row_number() over (order by min(arrival)),
    question,
    0
from (select question, arrival from incoming_ratings union all select question, arrival from incoming_metadata)
where question not in (select question from internal.questions)
group by question;

insert into internal.raters
select (select coalesce(max(rater_id), 0) from internal.raters) + row_number() over (order by min(arrival)), rater
from incoming_ratings
where rater not in (select rater from internal.raters)
group by rater;

insert into internal.labels
select (select coalesce(max(label_id), 0) from internal.labels) + row_number() over (order by min(arrival)), label
from incoming_ratings
where label not in (select label from internal.labels)
group by label;

insert into internal.items
with named as (
    select question, item, min(arrival) as arrival from incoming_ratings group by question, item
    union all
    select question, item, min(arrival) as arrival from incoming_metadata group by question, item
),

seen as (
    select q.question_id, n.item, min(n.arrival) as arrival
    from named as n inner join internal.questions as q using (question)
    group by q.question_id, n.item
)

select
    (select coalesce(max(item_id), 0) from internal.items) + row_number() over (order by arrival, question_id, item),
    question_id,
    item
from seen anti join internal.items using (question_id, item);

create or replace temp table staged as
select
    a.arrival, q.question_id, i.item_id, r.rater_id, l.label_id, a.rater_kind, a.system_version, a.rated_at,
    a.score, a.duration_s, a.row_number, a.source_ref
from incoming_ratings as a
inner join internal.questions as q using (question)
inner join internal.items as i on q.question_id = i.question_id and a.item = i.item
inner join internal.raters as r using (rater)
inner join internal.labels as l using (label);

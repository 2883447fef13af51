-- Add the new questions of a batch to the dictionary, in the order of their codes. One row per code, in order: its key.
insert into internal.questions
select
    (select coalesce(max(question_id), 0) from internal.questions) + row_number() over (order by code),
    text,
    0
from incoming_texts
where text not in (select question from internal.questions)
-- `returning`: see storing/09_restore_older_ratings.sql. A file in parts inserts several times.
returning question_id;

select d.question_id
from incoming_texts as t inner join internal.questions as d on t.text = d.question
order by t.code;

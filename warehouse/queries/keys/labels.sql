-- Add the new labels of a batch to the dictionary, in the order of their codes. One row per code, in order: its key.
insert into internal.labels
select
    (select coalesce(max(label_id), 0) from internal.labels) + row_number() over (order by code),
    text
from incoming_texts
where text not in (select label from internal.labels)
-- `returning`: see storing/09_restore_older_ratings.sql. A file in parts inserts several times.
returning label_id;

select d.label_id
from incoming_texts as t inner join internal.labels as d on t.text = d.label
order by t.code;

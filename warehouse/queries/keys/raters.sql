-- Add the new raters of a batch to the dictionary, in the order of their codes. One row per code, in order: its key.
insert into internal.raters
select
    (select coalesce(max(rater_id), 0) from internal.raters) + row_number() over (order by code),
    text
from incoming_texts
where text not in (select rater from internal.raters)
-- `returning`: see storing/09_restore_older_ratings.sql. A file in parts inserts several times.
returning rater_id;

select d.rater_id
from incoming_texts as t inner join internal.raters as d on t.text = d.rater
order by t.code;

-- Some files are new, the others are as they were: nothing is forgotten.
create or replace temp table recounted as
select question_id
from internal.dataset_questions
where false;

create or replace temp table forgotten_days as
select question_id, day
from internal.day_item_counts
where false;

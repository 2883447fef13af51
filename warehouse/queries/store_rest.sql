-- What goes with the ratings of a batch: metadata of the items (the last value counts), and the refused rows.
create or replace temp table new_metadata as
with latest as (
    select i.item_id, m.key, arg_max(m.value, m.arrival) as value
    from (from incoming_metadata where value is not null) as m
    inner join internal.questions as q using (question)
    inner join internal.items as i on q.question_id = i.question_id and m.item = i.item
    group by i.item_id, m.key
)

from latest anti join internal.item_metadata using (item_id, key, value);

delete from internal.item_metadata as old
using new_metadata as new
where old.item_id = new.item_id and old.key = new.key;

insert into internal.item_metadata by name
from new_metadata;

insert into rejected_rows by name
select
    $batch_id as batch_id, $file_name as file_name, * replace (left(item, 200) as item, left(rater, 200) as rater),
    $attempt as attempt, $now as rejected_at
from incoming_rejects;

insert into rejected_rows by name
select
    $batch_id as batch_id, $file_name as file_name, a.row_number, 'label' as column_name, left(a.label, 200) as value,
    'duplicate_rating' as reason,
    'The rater has rated this item already, and a second rating is an error by the rule of the question.' as detail,
    a.question, left(a.item, 200) as item, left(a.rater, 200) as rater, $attempt as attempt, $now as rejected_at
from incoming_ratings as a semi join refused using (arrival);

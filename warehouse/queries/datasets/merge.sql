-- Add `count_changes` to the stored counts. Counts that become 0 are deleted.

merge into internal.pattern_counts as c
using (from count_changes where section = 'pattern') as x
    on c.pattern_id = x.pattern_id and c.day is not distinct from x.day
when matched and c.n_items + x.n = 0 then delete
when matched then update set n_items = c.n_items + x.n
when not matched then insert values (x.question_id, x.day, x.pattern_id, x.n);

merge into internal.day_item_counts as c
using (
    select question_id, day, sum(n)::bigint as n
    from count_changes
    where section = 'pattern' and day is not null
    group by question_id, day
    having sum(n) <> 0
) as x
    on c.question_id = x.question_id and c.day = x.day
when matched and c.n_items + x.n = 0 then delete
when matched then update set n_items = c.n_items + x.n
when not matched then insert values (x.question_id, x.day, x.n);

merge into internal.batch_patterns as c
using (from count_changes where section = 'batch') as x
    on c.batch_no = x.batch_no and c.pattern_id = x.pattern_id
when matched and c.n_items + x.n = 0 then delete
when matched then update set n_items = c.n_items + x.n
when not matched then insert values (x.batch_no, x.question_id, x.pattern_id, x.n);

merge into internal.version_counts as c
using (from count_changes where section = 'version') as x
    on c.question_id = x.question_id and c.rater_id = x.rater_id and c.system_version = x.system_version
when matched and c.n_ratings + x.n = 0 then delete
when matched then update set n_ratings = c.n_ratings + x.n
when not matched then insert values (x.question_id, x.rater_id, x.system_version, x.n);

merge into internal.label_counts as c
using (from count_changes where section = 'label') as x
    on c.question_id = x.question_id and c.label_id = x.label_id
when matched and c.n_ratings + x.n = 0 then delete
when matched then update set n_ratings = c.n_ratings + x.n
when not matched then insert values (x.question_id, x.label_id, x.n);

merge into internal.version_day_counts as c
using (from count_changes where section = 'version_day') as x
    on c.pattern_id = x.pattern_id and c.day = x.day and c.rater_id = x.rater_id and c.system_version = x.system_version
when matched and c.n_items + x.n = 0 then delete
when matched then update set n_items = c.n_items + x.n
when not matched then insert values (x.question_id, x.day, x.pattern_id, x.rater_id, x.system_version, x.n);

merge into internal.duration_counts as c
using (from count_changes where section = 'duration') as x
    on c.question_id = x.question_id and c.day = x.day and c.rater_id = x.rater_id and c.duration_s = x.duration_s
when matched and c.n_ratings + x.n = 0 then delete
when matched then update set n_ratings = c.n_ratings + x.n
when not matched then insert values (x.question_id, x.day, x.rater_id, x.duration_s, x.n);

merge into internal.rater_day_counts as c
using (from count_changes where section = 'rater_day') as x
    on
        c.question_id = x.question_id and c.day = x.day and c.rater_id = x.rater_id and c.rater_kind = x.rater_kind::internal.rater_kind
when matched and c.n_ratings + x.n = 0 then delete
when matched then update set n_ratings = c.n_ratings + x.n
when not matched then insert values (x.question_id, x.day, x.rater_id, x.rater_kind::internal.rater_kind, x.n);

merge into internal.slice_counts as c
using (from count_changes where section = 'slice') as x
    on c.pattern_id = x.pattern_id and c.key = x.slice_key and c.value is not distinct from x.slice_value
when matched and c.n_items + x.n = 0 then delete
when matched then update set n_items = c.n_items + x.n
when not matched then insert values (x.question_id, x.slice_key, x.slice_value, x.pattern_id, x.n);

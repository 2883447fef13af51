-- Add `count_changes` to the stored counts. Counts of 0 are deleted.
update internal.pattern_counts as c
set n_items = c.n_items + x.n
from count_changes as x
where x.section = 'pattern' and c.pattern_id = x.pattern_id and c.day is not distinct from x.day;

insert into internal.pattern_counts
select x.question_id, x.day, x.pattern_id, x.n
from count_changes as x anti join internal.pattern_counts as c
    on x.pattern_id = c.pattern_id and x.day is not distinct from c.day
where x.section = 'pattern';

delete from internal.pattern_counts
where n_items = 0;

create or replace temp table day_item_changes as
select question_id, day, sum(n)::bigint as n
from count_changes
where section = 'pattern' and day is not null
group by question_id, day
having sum(n) <> 0;

update internal.day_item_counts as c
set n_items = c.n_items + x.n
from day_item_changes as x
where c.question_id = x.question_id and c.day = x.day;

insert into internal.day_item_counts
from day_item_changes anti join internal.day_item_counts using (question_id, day);

delete from internal.day_item_counts
where n_items = 0;

update internal.batch_patterns as b
set n_items = b.n_items + x.n
from count_changes as x
where x.section = 'batch' and b.batch_no = x.batch_no and b.pattern_id = x.pattern_id;

insert into internal.batch_patterns
select x.batch_no, x.question_id, x.pattern_id, x.n
from count_changes as x anti join internal.batch_patterns using (batch_no, pattern_id)
where x.section = 'batch';

delete from internal.batch_patterns
where n_items = 0;

update internal.version_counts as v
set n_ratings = v.n_ratings + x.n
from count_changes as x
where
    x.section = 'version' and v.question_id = x.question_id and v.rater_id = x.rater_id
    and v.system_version = x.system_version;

insert into internal.version_counts
select x.question_id, x.rater_id, x.system_version, x.n
from count_changes as x anti join internal.version_counts using (question_id, rater_id, system_version)
where x.section = 'version';

delete from internal.version_counts
where n_ratings = 0;

update internal.label_counts as c
set n_ratings = c.n_ratings + x.n
from count_changes as x
where x.section = 'label' and c.question_id = x.question_id and c.label_id = x.label_id;

insert into internal.label_counts
select x.question_id, x.label_id, x.n
from count_changes as x anti join internal.label_counts using (question_id, label_id)
where x.section = 'label';

delete from internal.label_counts
where n_ratings = 0;

update internal.version_day_counts as c
set n_items = c.n_items + x.n
from count_changes as x
where
    x.section = 'version_day' and c.pattern_id = x.pattern_id and c.day = x.day and c.rater_id = x.rater_id
    and c.system_version = x.system_version;

insert into internal.version_day_counts
select x.question_id, x.day, x.pattern_id, x.rater_id, x.system_version, x.n
from count_changes as x anti join internal.version_day_counts using (pattern_id, day, rater_id, system_version)
where x.section = 'version_day';

delete from internal.version_day_counts
where n_items = 0;

update internal.duration_counts as c
set n_ratings = c.n_ratings + x.n
from count_changes as x
where
    x.section = 'duration' and c.question_id = x.question_id and c.day = x.day and c.rater_id = x.rater_id
    and c.duration_s = x.duration_s;

insert into internal.duration_counts
select x.question_id, x.day, x.rater_id, x.duration_s, x.n
from count_changes as x anti join internal.duration_counts using (question_id, day, rater_id, duration_s)
where x.section = 'duration';

delete from internal.duration_counts
where n_ratings = 0;

update internal.rater_day_counts as c
set n_ratings = c.n_ratings + x.n
from count_changes as x
where
    x.section = 'rater_day' and c.question_id = x.question_id and c.day = x.day and c.rater_id = x.rater_id
    and c.rater_kind = x.rater_kind::internal.rater_kind;

insert into internal.rater_day_counts
select x.question_id, x.day, x.rater_id, x.rater_kind::internal.rater_kind, x.n
from count_changes as x anti join internal.rater_day_counts as c
    on x.question_id = c.question_id and x.day = c.day and x.rater_id = c.rater_id
    and x.rater_kind::internal.rater_kind = c.rater_kind
where x.section = 'rater_day';

delete from internal.rater_day_counts
where n_ratings = 0;

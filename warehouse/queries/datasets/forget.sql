-- The first step of counting a whole dataset: forget its counts. The patterns keep their numbers.
create or replace temp table recounted as
select question_id
from internal.dataset_questions
where source = $source;

create or replace temp table forgotten_days as
select question_id, day
from internal.day_item_counts
where question_id in (from recounted);

delete from internal.pattern_counts
where question_id in (from recounted);

delete from internal.batch_patterns
where question_id in (from recounted);

delete from internal.batch_windows
where question_id in (from recounted);

delete from internal.batch_questions
where question_id in (from recounted);

delete from internal.version_counts
where question_id in (from recounted);

delete from internal.label_counts
where question_id in (from recounted);

delete from internal.day_item_counts
where question_id in (from recounted);

delete from internal.version_day_counts
where question_id in (from recounted);

delete from internal.duration_counts
where question_id in (from recounted);

delete from internal.rater_day_counts
where question_id in (from recounted);

delete from internal.slice_counts
where question_id in (from recounted);

delete from internal.dataset_last_items
where question_id in (from recounted);

-- Without its state, the charts of a question are computed from all its days.
delete from internal.chart_states
where question_id in (from recounted);

delete from internal.dataset_files
where source = $source;

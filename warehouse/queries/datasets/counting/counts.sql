-- One row per count of the counting warehouse, of all sections. `pattern` is its pattern_id, `place` the number of the
-- group of files that a batch stands for.
select 'pattern' as section, question_id, day, pattern_id as pattern, n_items as n
from internal.pattern_counts
union all by name
select
    'batch' as section, c.question_id, c.pattern_id as pattern, split_part(b.batch_id, '/', 1)::integer as place,
    sum(c.n_items)::bigint as n
from internal.batch_patterns as c inner join internal.batches as b using (batch_no)
group by all
union all by name
select 'version' as section, question_id, rater_id, system_version, n_ratings as n
from internal.version_counts
union all by name
select 'label' as section, question_id, label_id, n_ratings as n
from internal.label_counts
union all by name
select 'version_day' as section, question_id, day, pattern_id as pattern, rater_id, system_version, n_items as n
from internal.version_day_counts
union all by name
select 'duration' as section, question_id, day, rater_id, duration_s, n_ratings as n
from internal.duration_counts
union all by name
select 'rater_day' as section, question_id, day, rater_id, rater_kind::varchar as rater_kind, n_ratings as n
from internal.rater_day_counts
union all by name
select
    'slice' as section, question_id, pattern_id as pattern, key as slice_key, value as slice_value, n_items as n
from internal.slice_counts;

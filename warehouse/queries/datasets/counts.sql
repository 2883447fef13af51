-- One row per count of the counting warehouse, of all sections. `pattern` is its pattern_id, `place` the number of the
-- group of files that a batch stands for.
select
    'pattern' as section, question_id, day, pattern_id as pattern, null::integer as rater_id,
    null::varchar as rater_kind, null::integer as label_id, null::varchar as system_version,
    null::double as duration_s, null::integer as place, n_items as n
from internal.pattern_counts
union all
select
    'batch', c.question_id, null, c.pattern_id, null, null, null, null, null,
    split_part(b.batch_id, '/', 1)::integer, sum(c.n_items)::bigint
from internal.batch_patterns as c inner join internal.batches as b using (batch_no)
group by all
union all
select 'version', question_id, null, null, rater_id, null, null, system_version, null, null, n_ratings
from internal.version_counts
union all
select 'label', question_id, null, null, null, null, label_id, null, null, null, n_ratings
from internal.label_counts
union all
select 'version_day', question_id, day, pattern_id, rater_id, null, null, system_version, null, null, n_items
from internal.version_day_counts
union all
select 'duration', question_id, day, null, rater_id, null, null, null, duration_s, null, n_ratings
from internal.duration_counts
union all
select 'rater_day', question_id, day, null, rater_id, rater_kind::varchar, null, null, null, null, n_ratings
from internal.rater_day_counts;

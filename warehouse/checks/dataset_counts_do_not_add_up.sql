-- A question of a dataset whose counts by label or slice do not fit its patterns, or that has ratings in the warehouse, too.
-- To do: Run `kappaflow ingest --retry-rejects`: it counts each dataset as a whole.
with of_patterns as (
    select c.question_id, r.label_id, sum(c.n_items)::bigint as n
    from internal.pattern_counts as c
    inner join internal.dataset_questions using (question_id)
    inner join internal.pattern_ratings as r using (pattern_id)
    group by c.question_id, r.label_id
),

of_labels as (
    select c.question_id, c.label_id, c.n_ratings as n
    from internal.label_counts as c inner join internal.dataset_questions using (question_id)
)

select 'counts by label' as what, question_id from (from of_patterns except all from of_labels)
union all
select distinct 'counts by slice', question_id
from (
    select question_id, pattern_id, key, sum(n_items) as n
    from internal.slice_counts
    group by question_id, pattern_id, key
) as s
left join (select pattern_id, sum(n_items) as n from internal.pattern_counts group by pattern_id) as p using (pattern_id)
where p.n is null or s.n > p.n
union all
select 'counts by label', question_id from (from of_labels except all from of_patterns)
union all
select distinct 'ratings in the warehouse', question_id
from (from internal.ratings semi join internal.dataset_questions using (question_id))
union all
select 'in two datasets', question_id
from internal.dataset_questions
group by question_id
having count(*) > 1;

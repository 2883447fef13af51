-- A count of items by batch and pattern, or the time window of a batch, that differs from the ratings.
-- To do: Run `kappaflow doctor --fix`: it rebuilds the patterns from the ratings. Then `kappaflow evaluate --all`.
with human as (
    select r.*, coalesce(r.rated_at, r.ingested_at) as given_at
    from internal.ratings as r
    left join internal.declared_kinds as d on r.question_id = d.question_id and r.rater_id = d.rater_id
    where coalesce(d.rater_kind, r.rater_kind) = 'human'
),

expected as (
    select h.batch_no, h.question_id, i.pattern_id, count(distinct h.item_id) as n_items
    from human as h left join internal.item_patterns as i using (item_id)
    where h.superseded_at is null and h.deleted_at is null
    group by h.batch_no, h.question_id, i.pattern_id
),

windows as (
    select batch_no, question_id, min(given_at) as first_at, max(given_at) as last_at
    from human
    where withdrawn_at is null and restores is null
    group by batch_no, question_id
),

stored_patterns as (from internal.batch_patterns anti join internal.dataset_questions using (question_id)),

stored_windows as (from internal.batch_windows anti join internal.dataset_questions using (question_id))

select batch_no, question_id, pattern_id from (from expected except all from stored_patterns)
union all
select batch_no, question_id, pattern_id from (from stored_patterns except all from expected)
union all
select batch_no, question_id, null from (from windows except all from stored_windows)
union all
select batch_no, question_id, null from (from stored_windows except all from windows);

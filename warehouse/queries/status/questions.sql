-- One row per question with ratings in force: its counts, and the latest alpha of its people. Gold is no rater.
with counts as (
    select question_id, pattern_id, sum(n_items)::bigint as n_items
    from internal.pattern_counts
    group by question_id, pattern_id
),

items as (
    select question_id, sum(n_items)::bigint as n_items
    from counts
    group by question_id
),

ratings as (
    select
        c.question_id, sum(c.n_items)::bigint as n_ratings,
        count(distinct r.rater_id) filter (where coalesce(d.rater_kind, r.rater_kind) <> 'gold') as n_raters,
        count(distinct r.rater_id) filter (where coalesce(d.rater_kind, r.rater_kind) = 'human') as n_annotators,
        count(distinct r.rater_id) filter (where coalesce(d.rater_kind, r.rater_kind) = 'system') as n_systems
    from counts as c
    inner join internal.pattern_ratings as r using (pattern_id)
    left join internal.declared_kinds as d on c.question_id = d.question_id and r.rater_id = d.rater_id
    group by c.question_id
),

alpha as (
    select question, weights, estimate, low, high
    from latest_agreement
    where period = 'all' and scope = 'humans' and coefficient = 'krippendorff_alpha'
)

select
    q.question, r.n_ratings, i.n_items, r.n_raters, r.n_annotators, r.n_systems, a.weights,
    a.estimate as krippendorff_alpha, a.low, a.high
from items as i
inner join ratings as r using (question_id)
inner join internal.questions as q using (question_id)
left join alpha as a using (question)
order by q.question;

-- One row per rater and period: how often a rater says what human raters say of the same items.
create or replace macro rater_agreement_over_time(question, period) as table
with humans as (
    select h.pattern_id, h.label_id, h.n_raters, h.n_ratings
    from internal.human_labels(question) as h
),

sizes as (
    select h.pattern_id, any_value(h.n_ratings) as n_ratings
    from humans as h
    group by h.pattern_id
),

given as (
    select
        r.pattern_id, r.rater_id, r.label_id, coalesce(d.rater_kind, r.rater_kind)::varchar as rater_kind,
        (coalesce(d.rater_kind, r.rater_kind) = 'human')::bigint as itself
    from internal.questions as q
    inner join internal.patterns as p on q.question_id = p.question_id
    inner join internal.pattern_ratings as r on p.pattern_id = r.pattern_id
    left join internal.declared_kinds as d on q.question_id = d.question_id and r.rater_id = d.rater_id
    where q.question = question
),

summed as (
    select
        a.rater, g.rater_kind, date_trunc(period, c.day)::date as period_start, sum(c.n_items)::bigint as n_items,
        sum((coalesce(h.n_raters, 0) - g.itself) * c.n_items) as agreeing,
        sum((s.n_ratings - g.itself) * c.n_items) as n_pairs
    from given as g
    inner join sizes as s on g.pattern_id = s.pattern_id
    inner join internal.pattern_counts as c on g.pattern_id = c.pattern_id
    inner join internal.raters as a on g.rater_id = a.rater_id
    left join humans as h on g.pattern_id = h.pattern_id and g.label_id = h.label_id
    where s.n_ratings > g.itself
    group by a.rater, g.rater_kind, date_trunc(period, c.day)
)

select
    question as question, s.rater, s.rater_kind, period as period, s.period_start, s.n_items,
    s.agreeing / s.n_pairs as agreement_with_others,
    s.agreeing / s.n_pairs - lag(s.agreeing / s.n_pairs) over (
        partition by s.rater, s.rater_kind order by s.period_start
    ) as difference
from summed as s
order by s.rater_kind, s.rater, s.period_start;

comment on macro table rater_agreement_over_time is 'One row per rater and day, week, month, quarter or year: does a person drift away from the others, does a system get worse? An item counts in the period of its latest human rating, with all its ratings.
question: The question.
rater: The rater, a person or a system.
rater_kind: human, system or gold.
period: day, week, month, quarter or year.
period_start: First day of the period (UTC).
n_items: Items of the period that the rater and another human rater rated.
agreement_with_others: Share of agreement with the ratings of the (other) human raters of these items, 0 to 1.
difference: That share less the one of the period before.';

-- One row per rating pattern, rater and period: how many of the (other) human raters say what the rater says.
create or replace macro internal.rater_shares(question, period) as table
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
)

select
    a.rater, g.rater_kind, date_trunc(period, c.day)::date as period_start, c.n_items,
    (coalesce(h.n_raters, 0) - g.itself)::double as agreeing, (s.n_ratings - g.itself)::double as n_pairs
from given as g
inner join sizes as s on g.pattern_id = s.pattern_id
inner join internal.pattern_counts as c on g.pattern_id = c.pattern_id
inner join internal.raters as a on g.rater_id = a.rater_id
left join humans as h on g.pattern_id = h.pattern_id and g.label_id = h.label_id
where s.n_ratings > g.itself;

comment on macro table internal.rater_shares is
    'Private. One row per pattern, rater and period: items (n_items), other human raters (n_pairs), those who agree (agreeing).';

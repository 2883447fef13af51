-- The two labels that people confuse most beyond chance, of each question with labels without an order whose agreement is
-- low for sure; with $question, of this one. A question whose people use only two labels has no row. share: of the pairs of
-- ratings of an item that differ, those that have these two labels. by_chance: the same if the labels met by chance, each as
-- often as it is given. lead: how many of its standard errors the share lies above that, over the items. n_numbers: how many
-- labels people use, if all are numbers and nobody declared them: they may be points on a scale.
with low as (
    select distinct question
    from latest_agreement
    where
        scope = 'humans' and period = 'all' and coefficient <> 'percent_agreement' and high < 0.667
        and scale = 'nominal' and ($question is null or question = $question)
),

undeclared as (
    select question
    from runs
    where kind = 'evaluate' and status = 'succeeded'
    qualify
        row_number() over (partition by question order by started_at desc, run_id desc) = 1
        and json_type(settings, '$[0].labels') = 'NULL'
),

given as (
    select p.question_id, r.pattern_id, r.label_id, count(*) as n_raters
    from low
    inner join internal.questions as q using (question)
    inner join internal.patterns as p on q.question_id = p.question_id
    inner join internal.pattern_ratings as r on p.pattern_id = r.pattern_id
    left join internal.declared_kinds as d on p.question_id = d.question_id and r.rater_id = d.rater_id
    where coalesce(d.rater_kind, r.rater_kind) = 'human'
    group by p.question_id, r.pattern_id, r.label_id
),

items as (
    select pattern_id, sum(n_items)::bigint as n_items
    from internal.pattern_counts
    group by pattern_id
),

pairs as (
    select a.question_id, a.pattern_id, a.label_id, b.label_id as other_id, a.n_raters * b.n_raters as n_pairs, i.n_items
    from given as a
    inner join given as b on a.pattern_id = b.pattern_id and a.label_id < b.label_id
    inner join items as i on a.pattern_id = i.pattern_id
),

differing as (
    select question_id, pattern_id, sum(n_pairs)::bigint as n_pairs, any_value(n_items) as n_items
    from pairs
    group by question_id, pattern_id
),

label_counts as (
    select g.question_id, g.label_id, sum(g.n_raters * i.n_items)::double as n
    from given as g
    inner join items as i on g.pattern_id = i.pattern_id
    group by g.question_id, g.label_id
),

numbers as (
    select c.question_id, count(*) as n_numbers
    from label_counts as c
    inner join internal.labels as l using (label_id)
    inner join internal.questions as q on c.question_id = q.question_id
    inner join undeclared as u using (question)
    group by c.question_id
    having bool_and(coalesce(isfinite(try_cast(l.label as double)), false))
),

chances as (
    select question_id, (sum(n) ** 2 - sum(n ** 2)) / 2 as n_pairs
    from label_counts
    group by question_id
),

met as (
    select
        p.question_id, p.label_id, p.other_id, sum(p.n_pairs * p.n_items)::bigint as n_pairs,
        sum(sum(p.n_pairs * p.n_items)) over (partition by p.question_id) as n_differing
    from pairs as p
    group by p.question_id, p.label_id, p.other_id
),

first as (
    select
        m.question_id, m.label_id, m.other_id, least(la.label, lb.label) as label_a, greatest(la.label, lb.label) as label_b,
        m.n_pairs, m.n_pairs / m.n_differing as share, a.n * b.n / c.n_pairs as by_chance
    from met as m
    inner join label_counts as a on m.question_id = a.question_id and m.label_id = a.label_id
    inner join label_counts as b on m.question_id = b.question_id and m.other_id = b.label_id
    inner join chances as c on m.question_id = c.question_id
    inner join internal.labels as la on m.label_id = la.label_id
    inner join internal.labels as lb on m.other_id = lb.label_id
    qualify row_number() over (partition by m.question_id order by share - by_chance desc, label_a, label_b) = 1
),

of_items as (
    select d.question_id, coalesce(p.n_pairs, 0) - f.by_chance * d.n_pairs as excess, d.n_items
    from differing as d
    inner join first as f on d.question_id = f.question_id
    left join pairs as p
        on d.pattern_id = p.pattern_id and f.label_id = p.label_id and f.other_id = p.other_id
)

select
    q.question, f.label_a, f.label_b, f.n_pairs, f.share, f.by_chance,
    sum(o.excess * o.n_items) / sqrt(sum(o.excess ** 2 * o.n_items)) as lead, any_value(n.n_numbers) as n_numbers
from of_items as o
inner join first as f on o.question_id = f.question_id
inner join internal.questions as q on o.question_id = q.question_id
left join numbers as n on o.question_id = n.question_id
where f.share < 1
group by q.question, f.label_a, f.label_b, f.n_pairs, f.share, f.by_chance
order by q.question;

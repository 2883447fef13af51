-- One row per value of a key of the items' metadata: how far the human raters agree on the items with that value.
create or replace macro agreement_by(question, key) as table
with counted as (
    select m.value, i.pattern_id, count(*) as n_items
    from internal.questions as q
    inner join internal.item_patterns as i on q.question_id = i.question_id
    inner join internal.item_metadata as m on i.item_id = m.item_id
    where q.question = question and m.key = key and m.value is not null
    group by m.value, i.pattern_id
    union all
    select s.value, s.pattern_id, s.n_items
    from internal.questions as q inner join internal.slice_counts as s on q.question_id = s.question_id
    where q.question = question and s.key = key and s.value is not null
),

labels as (
    select h.pattern_id, h.label_id, h.n_raters, h.n_ratings
    from internal.human_labels(question) as h
),

-- of each pattern: m ratings, and the pairs of them that agree
patterns as (
    select l.pattern_id, any_value(l.n_ratings) as m, sum(l.n_raters * (l.n_raters - 1))::bigint as agreeing
    from labels as l
    group by l.pattern_id
),

by_item as (
    select
        c.value, sum(c.n_items)::bigint as n_items, sum(c.n_items * p.m)::bigint as n_ratings,
        coalesce(sum(c.n_items) filter (where p.m > 1), 0)::hugeint as pairable_items,
        coalesce(sum(c.n_items * p.m) filter (where p.m > 1), 0)::hugeint as pairable,
        sum(c.n_items * p.agreeing / (p.m * (p.m - 1))) filter (where p.m > 1) as shares,
        sum(c.n_items * (p.m * (p.m - 1) - p.agreeing) / (p.m - 1)) filter (where p.m > 1) as differing
    from counted as c inner join patterns as p on c.pattern_id = p.pattern_id
    group by c.value
),

frequencies as (
    select c.value, l.label_id, sum(c.n_items * l.n_raters)::hugeint as n
    from counted as c inner join labels as l on c.pattern_id = l.pattern_id
    where l.n_ratings > 1
    group by c.value, l.label_id
),

squares as (
    select f.value, sum(f.n * f.n)::hugeint as n
    from frequencies as f
    group by f.value
)

select
    question as question, key as key, i.value, i.n_items, i.n_ratings,
    i.shares / nullif(i.pairable_items, 0) as percent_agreement,
    1 - (i.pairable - 1) * i.differing / nullif(i.pairable * i.pairable - s.n, 0) as krippendorff_alpha,
    case when i.pairable = 0 then 'too_few_items' when i.pairable * i.pairable = s.n then 'zero_denominator' end as reason
from by_item as i left join squares as s on i.value = s.value
order by i.n_items desc, i.value;

comment on macro table agreement_by is 'One row per value of a key of the items'' metadata: how far the human raters agree on the items with it. Items without the key are left out.
question: The question.
key: Name of the property of the items, such as language.
value: Its value.
n_items: Items with that value and a human rating.
n_ratings: Their human ratings.
percent_agreement: Share of the pairs of ratings of an item that agree, 0 to 1: the mean over the items with two ratings or more.
krippendorff_alpha: Krippendorff''s alpha with nominal labels: agreement beyond chance. If the question has another scale or weights, this is not the alpha of latest_agreement, which has them.
reason: Code of the reason where alpha is null.';

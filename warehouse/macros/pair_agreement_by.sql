-- One row per value of a key of the items' metadata: how far two raters agree on the items with that value.
create or replace macro pair_agreement_by(question, rater_a, rater_b, key) as table
with counted as (
    select i.pattern_id, m.value, count(*) as n_items
    from internal.item_patterns as i inner join internal.item_metadata as m on i.item_id = m.item_id
    where m.key = key and m.value is not null
    group by i.pattern_id, m.value
    union all
    select s.pattern_id, s.value, s.n_items
    from internal.slice_counts as s
    where s.key = key and s.value is not null
),

cells as (
    select c.value as slice, p.label_a, p.label_b, sum(c.n_items)::bigint as n_items
    from internal.pair_patterns(question, rater_a, rater_b) as p inner join counted as c on p.pattern_id = c.pattern_id
    group by c.value, p.label_a, p.label_b
)

select
    question as question, rater_a as rater_a, rater_b as rater_b, key as key, k.slice as value, k.n_items, k.n_agree,
    k.percent_agreement, k.expected, k.cohen_kappa, k.reason
from internal.kappa_of_cells((select list(c) from cells as c)) as k
order by k.n_items desc, k.slice;

comment on macro table pair_agreement_by is 'One row per value of a key of the items'' metadata: how far any two raters agree on the items with it. Items without the key are left out.
question: The question.
rater_a: One rater.
rater_b: The other rater.
key: Name of the property of the items, such as language.
value: Its value.
n_items: Items with that value that both rated.
n_agree: Items among them with the same label of both.
percent_agreement: Share of these, 0 to 1.
expected: The share that raters with these label frequencies would reach by chance.
cohen_kappa: Cohen''s kappa with nominal labels: agreement beyond chance. If the question has weights, this is not the kappa of pairwise_agreement, which has them.
reason: Code of the reason where kappa is null.';

-- One row per label of the one rater and label of the other that meet: on how many items.
create or replace macro confusion(question, rater_a, rater_b) as table
with cells as (
    select p.label_a, p.label_b, sum(c.n_items)::bigint as n_items
    from internal.pair_patterns(question, rater_a, rater_b) as p
    inner join internal.pattern_counts as c on p.pattern_id = c.pattern_id
    group by p.label_a, p.label_b
)

select
    question as question, rater_a as rater_a, rater_b as rater_b, c.label_a, c.label_b, c.n_items,
    c.n_items / sum(c.n_items) over (partition by c.label_a) as share_of_a,
    c.n_items / sum(c.n_items) over (partition by c.label_b) as share_of_b
from cells as c
order by c.label_a, c.label_b;

comment on macro table confusion is 'One row per label of the one rater and label of the other that meet: the contingency table of any two raters, people or systems, without its empty cells.
question: The question.
rater_a: One rater.
rater_b: The other rater.
label_a: What the one says.
label_b: What the other says of the same items.
n_items: Of how many items.
share_of_a: Share of these among the items that the one gives label_a, and both rated.
share_of_b: Share of these among the items that the other gives label_b, and both rated.';

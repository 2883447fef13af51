-- One row: how far two raters agree on the items that both rated.
create or replace macro pair_agreement(question, rater_a, rater_b) as table
with cells as (
    select null as slice, p.label_a, p.label_b, sum(c.n_items)::bigint as n_items
    from internal.pair_patterns(question, rater_a, rater_b) as p
    inner join internal.pattern_counts as c on p.pattern_id = c.pattern_id
    group by p.label_a, p.label_b
)

select
    question as question, rater_a as rater_a, rater_b as rater_b, coalesce(k.n_items, 0) as n_items,
    coalesce(k.n_agree, 0) as n_agree, k.percent_agreement, k.expected, k.cohen_kappa,
    case when k.n_items is null then 'too_few_items' else k.reason end as reason
from (select 1 as one) as always
left join internal.kappa_of_cells((select list(c) from cells as c)) as k on true;

comment on macro table pair_agreement is 'One row: how far any two raters, people or systems, agree on the items that both rated.
question: The question.
rater_a: One rater.
rater_b: The other rater.
n_items: Items that both rated.
n_agree: Items among them with the same label of both.
percent_agreement: Share of these, 0 to 1.
expected: The share that raters with these label frequencies would reach by chance.
cohen_kappa: Cohen''s kappa with nominal labels: agreement beyond chance. If the question has weights, this is not the kappa of pairwise_agreement, which has them.
reason: Code of the reason where kappa is null.';

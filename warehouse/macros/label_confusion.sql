-- One row per two labels that human raters give to the same items: how often.
create or replace macro label_confusion(question) as table
with counted as (
    select c.pattern_id, sum(c.n_items)::bigint as n_items
    from internal.pattern_counts as c
    group by c.pattern_id
),

meetings as (
    select la.label as label_a, lb.label as label_b, sum(a.n_raters * b.n_raters * c.n_items)::bigint as n_pairs
    from internal.human_labels(question) as a
    inner join internal.human_labels(question) as b on a.pattern_id = b.pattern_id
    inner join counted as c on a.pattern_id = c.pattern_id
    inner join internal.labels as la on a.label_id = la.label_id
    inner join internal.labels as lb on b.label_id = lb.label_id
    where la.label < lb.label
    group by la.label, lb.label
),

everything as (
    select sum(h.n_raters * (h.n_ratings - 1) * c.n_items) / 2 as n_pairs
    from internal.human_labels(question) as h inner join counted as c on h.pattern_id = c.pattern_id
)

select
    question as question, m.label_a, m.label_b, m.n_pairs,
    m.n_pairs / sum(m.n_pairs) over () as share_of_disagreements, m.n_pairs / e.n_pairs as share_of_pairs
from meetings as m cross join everything as e
order by m.n_pairs desc, m.label_a, m.label_b;

comment on macro table label_confusion is 'One row per pair of labels that human raters give to the same items, the most frequent pair first: which labels are confused.
question: The question.
label_a: One label.
label_b: The other, after it in the alphabet.
n_pairs: Pairs of human ratings of one item in which one rating is label_a and the other label_b.
share_of_disagreements: Share among the pairs that differ, 0 to 1.
share_of_pairs: Share among all pairs of human ratings of one item, 0 to 1.';

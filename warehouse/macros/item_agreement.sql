-- One row per tenth of agreement that has items of a question: of how many items so many pairs of human ratings agree.
create or replace macro item_agreement(question) as table
with counted as (
    select c.pattern_id, sum(c.n_items)::bigint as n_items
    from internal.pattern_counts as c
    group by c.pattern_id
),

pairs as (
    select
        h.pattern_id, sum(h.n_raters * (h.n_raters - 1)) as n_equal,
        any_value(h.n_ratings * (h.n_ratings - 1)) as n_pairs
    from internal.human_labels(question) as h
    where h.n_ratings > 1
    group by h.pattern_id
),

tenths as (
    -- the last tenth holds the items on which all agree
    select least(9, (10 * p.n_equal) // p.n_pairs) as tenth, sum(c.n_items)::bigint as n_items
    from pairs as p inner join counted as c on p.pattern_id = c.pattern_id
    group by tenth
)

select
    question as question, (t.tenth / 10)::double as agreement_low, ((t.tenth + 1) / 10)::double as agreement_high,
    t.n_items, t.n_items / sum(t.n_items) over () as share
from tenths as t
order by t.tenth;

comment on macro table item_agreement is 'One row per tenth of agreement: how many items have so large a share of pairs of human ratings that agree.
question: The question.
agreement_low: Share of the pairs of an item''s human ratings that agree: from here on.
agreement_high: Up to here, exclusive; in the last tenth inclusive.
n_items: Items with two human ratings or more.
share: Share among all such items of the question, 0 to 1.';

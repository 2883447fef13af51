-- One row per slice: percent agreement and Cohen's kappa of two raters. `cells` is a list of the cells of their tables:
-- structs of slice, label_a, label_b and n_items. Sums are whole numbers, so that 0/0 is exact.
create or replace macro internal.kappa_of_cells(cells) as table
with cell as (
    select unnest(cells, recursive := true)
),

margins as (
    select m.slice, m.label, sum(m.n_a) * sum(m.n_b) as product
    from (
        select c.slice, c.label_a as label, c.n_items as n_a, 0 as n_b from cell as c
        union all
        select c.slice, c.label_b, 0, c.n_items from cell as c
    ) as m
    group by m.slice, m.label
),

by_chance as (
    select m.slice, sum(m.product)::hugeint as product
    from margins as m
    group by m.slice
),

counted as (
    select
        c.slice, sum(c.n_items)::hugeint as n,
        coalesce(sum(c.n_items) filter (where c.label_a = c.label_b), 0)::hugeint as n_agree
    from cell as c
    group by c.slice
)

select
    t.slice, t.n::bigint as n_items, t.n_agree::bigint as n_agree, t.n_agree / t.n as percent_agreement,
    h.product / (t.n * t.n) as expected,
    (t.n * t.n_agree - h.product) / nullif(t.n * t.n - h.product, 0) as cohen_kappa,
    case when t.n * t.n = h.product then 'zero_denominator' end as reason
from counted as t inner join by_chance as h on t.slice is not distinct from h.slice;

comment on macro table internal.kappa_of_cells is
    'Private. One row per slice of a list of cells (slice, label_a, label_b, n_items): kappa and what it is made of.';

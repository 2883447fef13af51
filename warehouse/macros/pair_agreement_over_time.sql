-- One row per period: how far two raters agree on the items that were rated last in it.
create or replace macro pair_agreement_over_time(question, rater_a, rater_b, period) as table
with cells as (
    select date_trunc(period, c.day)::date as slice, p.label_a, p.label_b, sum(c.n_items)::bigint as n_items
    from internal.pair_patterns(question, rater_a, rater_b) as p
    inner join internal.pattern_counts as c on p.pattern_id = c.pattern_id
    where c.day is not null
    group by slice, p.label_a, p.label_b
)

select
    question as question, rater_a as rater_a, rater_b as rater_b, period as period, k.slice as period_start, k.n_items,
    k.n_agree, k.percent_agreement, k.expected, k.cohen_kappa, k.reason,
    k.cohen_kappa - lag(k.cohen_kappa) over (order by k.slice) as difference
from internal.kappa_of_cells((select list(c) from cells as c)) as k
order by k.slice;

comment on macro table pair_agreement_over_time is 'One row per day, week, month, quarter or year: how far any two raters agree. An item counts in the period of its latest human rating (rated_at, else arrival), with all its ratings.
question: The question.
rater_a: One rater.
rater_b: The other rater.
period: day, week, month, quarter or year.
period_start: First day of the period, in the project''s time zone.
n_items: Items of the period that both rated.
n_agree: Items among them with the same label of both.
percent_agreement: Share of these, 0 to 1.
expected: The share that raters with these label frequencies would reach by chance.
cohen_kappa: Cohen''s kappa with nominal labels: agreement beyond chance. If the question has weights, this is not the kappa of pairwise_agreement, which has them.
reason: Code of the reason where kappa is null.
difference: Kappa minus that of the period before.';

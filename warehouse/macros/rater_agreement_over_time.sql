-- One row per rater and period: how often a rater says what human raters say of the same items.
-- The share is a ratio of sums over items, which are the sample: its variance comes from the items' residuals
-- (Cochran 1977, Sampling Techniques, 3rd ed., ch. 6). The interval is Wilson's, with as many trials as a simple
-- share with that variance has (Korn & Graubard 1998, Survey Methodology 24, 193-201): it stays within 0 and 1.
create or replace macro rater_agreement_over_time(question, period) as table
with summed as (
    select
        i.rater, i.rater_kind, i.period_start, sum(i.n_items)::bigint as n_items,
        sum(i.n_items * i.n_pairs) as n_pairs, sum(i.n_items * i.agreeing) / sum(i.n_items * i.n_pairs) as share,
        sum(i.n_items * i.agreeing * i.agreeing) as squares, sum(i.n_items * i.agreeing * i.n_pairs) as products,
        sum(i.n_items * i.n_pairs * i.n_pairs) as squared_pairs
    from internal.rater_shares(question, period) as i
    group by i.rater, i.rater_kind, i.period_start
),

varied as (
    select
        s.*, s.n_items / (s.n_items - 1) / s.n_pairs / s.n_pairs
        * (s.squares - 2 * s.share * s.products + s.share * s.share * s.squared_pairs) as variance
    from summed as s
),

-- Where the items do not vary, each is one trial; no item is worth more than its pairs.
trials as (
    select
        v.*, case
            when v.n_items > 1 and v.variance > 1e-12
                then least(v.share * (1 - v.share) / v.variance, v.n_pairs)
            else v.n_items
        end as n
    from varied as v
),

wilson as (
    select
        t.*, 1.959963984540054 as z, (t.share + z * z / (2 * t.n)) / (1 + z * z / t.n) as middle,
        z / (1 + z * z / t.n) * sqrt(t.share * (1 - t.share) / t.n + z * z / (4 * t.n * t.n)) as half
    from trials as t
)

select
    question as question, w.rater, w.rater_kind, period as period, w.period_start, w.n_items,
    w.share as agreement_with_others,
    greatest(w.middle - w.half, 0) as low,
    least(w.middle + w.half, 1) as high,
    w.share - lag(w.share) over (partition by w.rater, w.rater_kind order by w.period_start) as difference
from wilson as w
order by w.rater_kind, w.rater, w.period_start;

comment on macro table rater_agreement_over_time is 'One row per rater and day, week, month, quarter or year: does a person drift away from the others, does a system get worse? An item counts in the period of its latest human rating, with all its ratings.
question: The question.
rater: The rater, a person or a system.
rater_kind: human, system or gold.
period: day, week, month, quarter or year.
period_start: First day of the period, in the project''s time zone.
n_items: Items of the period that the rater and another human rater rated.
agreement_with_others: Share of agreement with the ratings of the (other) human raters of these items, 0 to 1.
low: Lower end of its 95 % interval, over items like these.
high: Upper end of its 95 % interval.
difference: That share less the one of the period before.';

-- The agreement on spans, boxes, rankings or texts over all ratings ($period 'all') or the items rated last ('last_n'),
-- of each question of `incoming_limits` (question, value) that annotators work on. $coefficients are those that stand for
-- a question; of a question with spans and boxes the lower figure.
with with_labels as (
    select q.question
    from internal.questions as q
    where q.question_id in (select question_id from internal.day_item_counts)
),

figures as (
    select 'all' as period, question, coefficient, estimate, low, high, confidence, n_items
    from latest_region_agreement
    where rater_a is null and label is null
    union all
    select period, question, coefficient, estimate, low, high, confidence, n_items
    from region_windows
    where period = 'last_n' and label is null
)

select
    l.question, f.coefficient, l.value as threshold, f.estimate, f.low, f.high, null::double as observed,
    null::double as expected, f.confidence, f.n_items
from incoming_limits as l inner join figures as f using (question)
where
    f.period = $period and f.coefficient in (select unnest($coefficients::varchar [])) and f.estimate is not null
    -- a question that has labels, too, is judged by them
    and l.question not in (from with_labels)
    and exists (from region_work as w where w.question = l.question and w.is_current and w.rater_kind = 'human')
qualify row_number() over (partition by l.question order by f.estimate) = 1
order by l.question;

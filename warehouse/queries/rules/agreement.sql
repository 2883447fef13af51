-- The agreement over all ratings ($period 'all') or the items rated last ('last_n'), of each question of
-- `incoming_limits` (question, value) that has ratings. $instead is the coefficient where $coefficient is undefined.
select l.question, a.coefficient, l.value as threshold, a.estimate, a.low, a.high, a.observed, a.expected, a.confidence, a.n_items
from incoming_limits as l
inner join internal.questions as q using (question)
inner join latest_agreement as a using (question)
where
    a.period = $period and a.scope = 'humans' and a.coefficient in ($coefficient, $instead) and a.estimate is not null
    and exists (from internal.pattern_counts as c where c.question_id = q.question_id and c.day is not null)
qualify row_number() over (partition by l.question order by a.coefficient = $coefficient desc, a.weights nulls first) = 1
order by l.question;

-- The agreement of the items that were rated last, of each question of `incoming_limits` (question, value).
select l.question, l.value as threshold, a.estimate, a.low, a.high, a.n_items
from incoming_limits as l
inner join internal.questions as q using (question)
inner join latest_agreement as a using (question)
where
    a.period = 'last_n' and a.scope = 'humans' and a.coefficient = $coefficient and a.high is not null
    and exists (from internal.pattern_counts as c where c.question_id = q.question_id and c.day is not null)
qualify row_number() over (partition by l.question order by a.weights nulls first) = 1
order by l.question;

-- The accuracy of each rater by gold, of the questions of `incoming_limits` (question, value).
select l.question, l.value as threshold, a.rater, a.rater_kind, a.accuracy, a.low, a.high, a.n_gold
from incoming_limits as l inner join rater_leaderboard as a using (question)
where a.n_gold > 0 and a.high is not null and a.rater_kind = 'human'
order by l.question, a.rater;

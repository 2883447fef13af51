-- The last day of each annotator of the questions of `incoming_limits` (question, value in seconds), and that of the
-- question: annotators with ratings on three days or more. Days after the last arrival (wrong dates) do not count.
with last_day as (
    select (max(ingested_at) at time zone (select timezone from internal.project_time))::date as day
    from batches
),

days as (
    select l.question, l.value as threshold, a.rater, c.day, c.n_ratings
    from incoming_limits as l
    inner join internal.questions as q using (question)
    inner join internal.rater_day_counts as c using (question_id)
    inner join internal.raters as a using (rater_id)
    where c.rater_kind = 'human' and c.day <= (from last_day)
),

newest as (
    select question, max(day) as newest_day
    from days
    group by question
)

select
    d.question, d.threshold, d.rater, max(d.day) as last_day, n.newest_day, sum(d.n_ratings)::bigint as n_ratings
from days as d inner join newest as n using (question)
group by d.question, d.threshold, d.rater, n.newest_day
having count(distinct d.day) >= 3
order by d.question, d.rater;

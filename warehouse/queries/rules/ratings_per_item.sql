-- Human ratings per item of the questions of `incoming_limits` (question, value): of the items whose latest rating is at
-- least $lag days older than the newest one, and at most $days days. Days after the last arrival (wrong dates) do not
-- count.
with last_day as (
    select (max(ingested_at) at time zone (select timezone from internal.project_time))::date as day
    from batches
),

days as (
    select l.question, l.value as threshold, q.question_id, c.day, c.pattern_id, c.n_items
    from incoming_limits as l
    inner join internal.questions as q using (question)
    inner join internal.pattern_counts as c using (question_id)
    where c.day <= (from last_day)
),

recent as (
    select *
    from days
    qualify day between max(day) over (partition by question) - $days::integer
        and max(day) over (partition by question) - $lag::integer
),

patterns as (
    select
        t.question, r.pattern_id,
        count(*) filter (where coalesce(d.rater_kind, r.rater_kind) = 'human') as n_ratings
    from (select distinct question, question_id, pattern_id from recent) as t
    inner join internal.pattern_ratings as r using (pattern_id)
    left join internal.declared_kinds as d on t.question_id = d.question_id and r.rater_id = d.rater_id
    group by t.question, r.pattern_id
)

select
    t.question, t.threshold, sum(t.n_items)::bigint as n_items, sum(t.n_items * p.n_ratings)::bigint as n_ratings,
    sum(t.n_items * p.n_ratings * p.n_ratings)::double as sum_of_squares
from recent as t inner join patterns as p using (question, pattern_id)
where p.n_ratings > 0
group by t.question, t.threshold
order by t.question;

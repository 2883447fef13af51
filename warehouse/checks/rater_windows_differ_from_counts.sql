-- A day whose window of a rater or system holds more items than it rated on that day, or that has two windows.
-- To do: Run `kappaflow evaluate --all`, then `kappaflow run`: it computes the windows again.
with windows as (
    select run_id, question, period, period_start, rater, n_items from rater_windows
    union all
    select run_id, question, period, period_start, system, n_items from system_windows
),

days as (
    select w.question, (w.period_start at time zone z.timezone)::date as day, w.rater, w.n_items, count(*) over (
        partition by w.question, w.period_start, w.rater
    ) as n_windows
    from windows as w
    inner join runs as r using (run_id)
    inner join internal.questions as q on w.question = q.question and r.input_revision = q.revision
    cross join internal.project_time as z
    where w.period = 'day'
),

counted as (
    select q.question, c.day, a.rater, sum(c.n_ratings)::bigint as n_items
    from internal.rater_day_counts as c
    inner join internal.questions as q using (question_id)
    inner join internal.raters as a using (rater_id)
    group by q.question, c.day, a.rater
)

select d.question, d.day, d.rater, d.n_items, c.n_items as n_counted
from days as d left join counted as c on d.question = c.question and d.day = c.day and d.rater = c.rater
where d.n_windows > 1 or d.n_items > coalesce(c.n_items, 0);

-- A day whose window of label shares holds more items than were rated on it, or that has two windows.
-- To do: Run `kappaflow evaluate --all`, then `kappaflow run`: it computes the windows again.
with windows as (
    select w.question, (w.period_start at time zone z.timezone)::date as day, w.label, w.n_items, count(*) over (
        partition by w.question, w.period_start, w.label
    ) as n_windows
    from label_windows as w
    inner join runs as r using (run_id)
    inner join internal.questions as q on w.question = q.question and r.input_revision = q.revision
    cross join internal.project_time as z
    where w.period = 'day'
),

days as (
    select q.question, c.day, sum(c.n_items)::bigint as n_items
    from internal.pattern_counts as c inner join internal.questions as q using (question_id)
    where c.day is not null
    group by q.question, c.day
)

select w.question, w.day, w.label, w.n_items, d.n_items as n_counted
from windows as w left join days as d on w.question = d.question and w.day = d.day
where w.n_windows > 1 or w.n_items > coalesce(d.n_items, 0);

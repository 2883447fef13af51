-- Annotators per item of the questions of `incoming_limits` (question, value): of the items whose latest rating is at
-- least $lag days older than the newest one, and at most $days days. Days after the last arrival (wrong dates) do not
-- count. Further readings ('ann #2', see the rule `repeats`) are of their annotator. Of spans, boxes, rankings and texts
-- who worked on the item counts.
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

human_ratings as (
    select t.question, r.pattern_id, r.rater_id
    from (select distinct question, question_id, pattern_id from recent) as t
    inner join internal.pattern_ratings as r using (pattern_id)
    left join internal.declared_kinds as d on t.question_id = d.question_id and r.rater_id = d.rater_id
    where coalesce(d.rater_kind, r.rater_kind) = 'human'
),

names as (
    select h.question, h.rater_id, a.rater, regexp_extract(a.rater, '(?s)^(.+) #[0-9]+$', 1) as annotator
    from (select distinct question, rater_id from human_ratings) as h
    inner join internal.raters as a using (rater_id)
),

annotators as (
    select n.question, n.rater_id, coalesce(a.rater_id, n.rater_id) as annotator_id
    from names as n left join names as a on n.question = a.question and n.annotator = a.rater
),

patterns as (
    select h.question, h.pattern_id, count(distinct a.annotator_id) as n_annotators
    from human_ratings as h inner join annotators as a using (question, rater_id)
    group by h.question, h.pattern_id
),

work_on_items as (
    select l.question, l.value as threshold, w.item, count(distinct w.rater) as n_annotators,
        (max(coalesce(w.rated_at, w.ingested_at)) at time zone (select timezone from internal.project_time))::date as day
    from incoming_limits as l inner join region_work as w using (question)
    where w.is_current and w.rater_kind = 'human' and l.question not in (select question from days)
    group by l.question, l.value, w.item
),

recent_work as (
    select *
    from work_on_items
    where day <= (from last_day)
    qualify day between max(day) over (partition by question) - $days::integer
        and max(day) over (partition by question) - $lag::integer
)

select
    t.question, t.threshold, sum(t.n_items)::bigint as n_items, sum(t.n_items * p.n_annotators)::bigint as n_annotators,
    sum(t.n_items * p.n_annotators * p.n_annotators)::double as sum_of_squares
from recent as t inner join patterns as p using (question, pattern_id)
group by t.question, t.threshold
union all
select
    question, threshold, count(*) as n_items, sum(n_annotators)::bigint as n_annotators,
    sum(n_annotators * n_annotators)::double as sum_of_squares
from recent_work
group by question, threshold
order by question;

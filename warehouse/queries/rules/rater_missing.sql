-- The last day of each annotator of the questions of `incoming_limits` (question, value in seconds), and that of the
-- question: annotators with ratings, spans, boxes, rankings or texts on three days or more. Days after the last arrival (wrong dates) do not count. Of
-- datasets the warehouse knows no rating, but only the days of their items: each is the day of the item's last rating.
-- Further readings ('ann #2', see the rule `repeats`) are days of their annotator.
with last_day as (
    select (max(ingested_at) at time zone (select timezone from internal.project_time))::date as day
    from batches
),

questions_due as (
    select q.question_id, l.question, l.value as threshold
    from incoming_limits as l inner join internal.questions as q using (question)
),

daily as (
    select
        r.question_id, r.rater_id,
        (coalesce(r.rated_at, r.ingested_at) at time zone (select timezone from internal.project_time))::date as day,
        count(*)::bigint as n_ratings
    from internal.ratings as r left join internal.declared_kinds as k using (question_id, rater_id)
    where
        r.question_id in (select question_id from questions_due) and r.superseded_at is null and r.deleted_at is null
        and coalesce(k.rater_kind, r.rater_kind) = 'human'
    group by all
    union all
    select
        w.question_id, w.rater_id,
        (coalesce(w.rated_at, w.ingested_at) at time zone (select timezone from internal.project_time))::date as day,
        count(*)::bigint as n_ratings
    from internal.region_work as w left join internal.declared_kinds as k using (question_id, rater_id)
    where
        w.question_id in (select question_id from questions_due) and w.withdrawn_at is null and w.deleted_at is null
        and coalesce(k.rater_kind, w.rater_kind) = 'human'
    group by all
    union all
    select question_id, rater_id, day, n_ratings
    from internal.rater_day_counts
    where rater_kind = 'human' and question_id in (select question_id from internal.dataset_questions)
),

named as (
    select
        q.question, q.threshold, a.rater, regexp_extract(a.rater, '(?s)^(.+) #[0-9]+$', 1) as annotator, d.day,
        d.n_ratings
    from daily as d
    inner join questions_due as q using (question_id)
    inner join internal.raters as a using (rater_id)
    where d.day <= (from last_day)
),

days as (
    select n.question, n.threshold, coalesce(a.rater, n.rater) as rater, n.day, n.n_ratings
    from named as n
    left join (select distinct question, rater from named) as a on n.question = a.question and n.annotator = a.rater
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

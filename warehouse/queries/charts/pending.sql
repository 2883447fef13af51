-- The questions whose charts are not up to date: their counts changed, a day was closed since (up to $until), or a change
-- was accepted. $questions and $settings are two lists of one length: the settings of each question now.
with incoming_settings as (
    select unnest($questions::varchar[]) as question, unnest($settings::varchar[]) as settings
),

work_days as (
    select question_id, day
    from internal.day_item_counts
    union all
    select
        question_id,
        (coalesce(rated_at, ingested_at) at time zone (select timezone from internal.project_time))::date as day
    from internal.region_work
    where question_id not in (select question_id from internal.day_item_counts)
),

last_days as (
    select question_id, max(day) as last_day
    from work_days
    where day <= $until
    group by question_id
),

accepted as (
    select question, count(*) as n_accepted
    from accepted_changes
    group by question
)

select q.question, q.revision
from internal.questions as q
inner join incoming_settings as i using (question)
left join internal.chart_states as s using (question_id)
left join last_days as d using (question_id)
left join accepted as a using (question)
where
    s.question_id is null or s.revision <> q.revision or s.settings <> i.settings
    or s.n_accepted <> coalesce(a.n_accepted, 0) or d.last_day > s.charted_until
order by q.question;

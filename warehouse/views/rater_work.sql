-- One row per question and rater: how fast, and how often a rating was replaced.
create or replace view rater_work as
with counted as (
    select question_id, rater_id, duration_s, sum(n_ratings) as n
    from internal.duration_counts
    group by question_id, rater_id, duration_s
),

pace as (
    select
        question_id, rater_id, duration_s,
        sum(n) over (partition by question_id, rater_id order by duration_s) as n_until,
        sum(n) over (partition by question_id, rater_id) as n_timed
    from counted
),

medians as (
    select
        question_id, rater_id, min(duration_s) filter (where 2 * n_until >= n_timed) as median_s,
        any_value(n_timed)::bigint as n_timed
    from pace
    group by question_id, rater_id
),

-- In force again, because what had replaced them was taken back.
restored as (
    select restores as rating_id
    from internal.ratings
    where restores is not null and superseded_at is null and deleted_at is null
),

edits as (
    select question_id, rater_id, count(*) as n_edits
    from internal.ratings anti join restored using (rating_id)
    where superseded_at is not null and deleted_at is null and restores is null
    group by question_id, rater_id
)

select
    questions.question, raters.rater, medians.median_s,
    (
        select median(others.median_s) from medians as others
        where others.question_id = medians.question_id and others.rater_id <> medians.rater_id
    ) as others_median_s,
    coalesce(medians.n_timed, 0) as n_timed,
    case when datasets.question_id is null then coalesce(edits.n_edits, 0) end as n_edits
from medians
full join edits on medians.question_id = edits.question_id and medians.rater_id = edits.rater_id
inner join internal.questions on coalesce(medians.question_id, edits.question_id) = questions.question_id
inner join internal.raters on coalesce(medians.rater_id, edits.rater_id) = raters.rater_id
left join internal.dataset_questions as datasets on questions.question_id = datasets.question_id
order by questions.question, raters.rater;

comment on view rater_work is 'One row per question and rater with durations or replaced ratings.';
comment on column rater_work.rater is 'The rater.';
comment on column rater_work.median_s is
    'Median of the seconds that the rater took, of current ratings (three significant digits).';
comment on column rater_work.others_median_s is 'Median of the medians of the other people.';
comment on column rater_work.n_timed is 'Ratings with a duration.';
comment on column rater_work.n_edits is
    'Ratings of the rater that a later version replaced. Null for a dataset, of which no versions are stored.';

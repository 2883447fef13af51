-- One row per question (of $questions), system and version, for systems that answered under two versions or more, all
-- with times. first_at: the time of the version's first answer, also of answers that a later one has replaced.
-- The ratings are read only of systems that have several versions in force.
with several as (
    select question_id, rater_id
    from internal.version_counts
    group by question_id, rater_id
    having count(*) > 1
),

versions as (
    select r.question_id, r.rater_id, r.system_version as version, min(r.rated_at) as first_at
    from internal.ratings as r semi join several using (question_id, rater_id)
    inner join internal.questions as q using (question_id)
    where list_contains($questions, q.question) and r.system_version is not null and r.withdrawn_at is null
    group by all
)

select q.question, a.rater as system, v.version, v.first_at
from versions as v
inner join internal.questions as q using (question_id)
inner join internal.raters as a using (rater_id)
qualify
    count(*) over (partition by v.question_id, v.rater_id) > 1
    and count(*) over (partition by v.question_id, v.rater_id)
    = count(v.first_at) over (partition by v.question_id, v.rater_id)
order by q.question, system, v.first_at, v.version;

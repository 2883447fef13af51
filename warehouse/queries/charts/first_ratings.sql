-- One row per rater of $raters: the day of the first rating of a question, in the project's time zone.
select
    a.rater,
    (min(coalesce(r.rated_at, r.ingested_at)) at time zone (select timezone from internal.project_time))::date as day
from internal.ratings as r
inner join internal.raters as a using (rater_id)
where
    r.question_id = (select question_id from internal.questions where question = $question)
    and list_contains($raters, a.rater) and r.withdrawn_at is null
group by a.rater
order by a.rater;

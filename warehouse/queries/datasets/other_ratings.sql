-- The first of the questions $questions with ratings, votes or marked items that are not of this source.
select q.question, d.source
from internal.questions as q left join internal.dataset_questions as d using (question_id)
where
    list_contains($questions, q.question) and (
        d.source <> $source
        or d.source is null and q.question_id in (
            select question_id from internal.ratings
            union
            select question_id from internal.preferences
            union
            select question_id from internal.region_work
        )
    )
order by q.question
limit 1;

-- The questions of $questions whose answers are spans, boxes, rankings or texts, and that have no ratings of labels.
select q.question
from internal.questions as q
where
    list_contains($questions::varchar[], q.question)
    and q.question_id in (select question_id from internal.region_work)
    and q.question_id not in (select question_id from internal.day_item_counts)
order by q.question;

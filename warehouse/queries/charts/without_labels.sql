-- Those of $questions that have no ratings of labels, but spans, boxes, rankings or texts (has_items), or votes on models.
select q.question, q.question_id in (select question_id from internal.region_work) as has_items
from internal.questions as q
where
    list_contains($questions::varchar[], q.question)
    and (
        q.question_id in (select question_id from internal.region_work)
        or q.question_id in (select question_id from internal.preferences)
    )
    and q.question_id not in (select question_id from internal.day_item_counts)
order by q.question;

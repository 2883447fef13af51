-- Those of $questions that have no ratings of labels, but spans, boxes, rankings or texts (has_items), or votes on models.
-- evaluated_by: the last run that evaluated it, on whose figures its chart rests.
select q.question, q.question_id in (select question_id from internal.region_work) as has_items, r.evaluated_by
from internal.questions as q
left join (
    select question, arg_max(run_id, (started_at, run_id)) as evaluated_by
    from runs
    where kind = 'evaluate' and status = 'succeeded'
    group by question
) as r using (question)
where
    list_contains($questions::varchar[], q.question)
    and (
        q.question_id in (select question_id from internal.region_work)
        or q.question_id in (select question_id from internal.preferences)
    )
    and q.question_id not in (select question_id from internal.day_item_counts)
order by q.question;

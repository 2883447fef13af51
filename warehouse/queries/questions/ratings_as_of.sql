-- One row per item and rater of one question: the rating that was in force at $moment. rater_kind is that of the
-- export; the kinds declared at that time are in the settings of the run.
select
    i.item, a.rater, r.rater_kind::varchar as rater_kind, r.system_version, l.label, r.rated_at, r.ingested_at,
    b.batch_id, r.item_id
from internal.ratings as r
inner join internal.items as i using (item_id)
inner join internal.raters as a using (rater_id)
inner join internal.labels as l using (label_id)
inner join internal.batches as b using (batch_no)
where
    r.question_id = (select question_id from internal.questions where question = $question)
    and r.ingested_at <= $moment and (r.superseded_at is null or r.superseded_at > $moment)
    and (r.deleted_at is null or r.deleted_at > $moment);

-- The questions count up their revision, so that they are evaluated again. Changes that were accepted as the new normal
-- of a rater's chart go with him. One row per question: ratings, votes and marked items renamed, items that both names had rated.
-- Reads: internal.questions, internal.raters, moved, moved_votes, moved_work, rivals
-- Writes: accepted_changes, internal.questions
update internal.questions
set revision = revision + 1
where question_id in (
    select question_id from moved union all select question_id from moved_votes union all select question_id from moved_work
);

update accepted_changes as c
set subject = n.rater
from (select distinct question_id, rater_id, new_id from moved) as m
inner join internal.questions as q using (question_id)
inner join internal.raters as o on m.rater_id = o.rater_id
inner join internal.raters as n on m.new_id = n.rater_id
where
    c.question = q.question and c.subject = o.rater and c.kind in ('rater', 'rater_labels', 'rater_speed', 'system');

select
    q.question, count(*) as n_ratings,
    (select count(distinct v.item_id) from rivals as v inner join internal.items as i using (item_id)
    where i.question_id = m.question_id) as n_items_twice
from (
    select question_id from moved union all select question_id from moved_votes union all select question_id from moved_work
) as m
inner join internal.questions as q using (question_id)
group by q.question, m.question_id
order by q.question;

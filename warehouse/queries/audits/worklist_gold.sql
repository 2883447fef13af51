-- How many items of a question have gold that a worklist brought, and no audit drew.
select count(distinct r.item) as n_items
from current_ratings as r inner join batches as b using (batch_id)
where
    r.question = $question and r.rater_kind = 'gold' and b.source = 'worklist'
    and r.item not in (select item from audit_items where question = $question);

-- One row per item of a sample, in the order in which they were drawn.
select item, inclusion_probability
from audit_items
where audit_id = $audit_id
order by place;

-- The row of a sample, if it was drawn.
select audit_id, n_items, n_population
from audits
where audit_id = $audit_id;

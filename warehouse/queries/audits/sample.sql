-- The row of a sample, if it was drawn.
select audit_id, n_items, n_population, stratify_by
from audits
where audit_id = $audit_id;

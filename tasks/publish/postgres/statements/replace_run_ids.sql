-- The runs that this warehouse does not have are said once.
update {schema}.kappaflow_tables
set run_id = %(run_id)s
where run_id = any(%(run_ids)s);

-- One row per table that kappaflow wrote.
select table_name, fingerprint, warehouse_id, run_id
from {schema}.kappaflow_tables;

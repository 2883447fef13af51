-- One row per table of the database `source`.
select schema_name, table_name
from duckdb_tables()
where database_name = 'source'
order by schema_name, table_name;

-- One row per column of a table that holds text.
select c.schema_name, c.table_name, c.column_name, c.data_type
from duckdb_columns() as c
inner join duckdb_tables() as t using (database_oid, schema_oid, table_oid)
where
    c.database_name = current_database() and c.schema_name in ('main', 'internal') and not t.temporary
    and c.data_type in ('VARCHAR', 'VARCHAR[]', 'JSON')
order by c.schema_name, c.table_name, c.column_index;

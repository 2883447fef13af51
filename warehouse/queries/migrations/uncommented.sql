-- The columns of views that have no comment: view, column.
select c.table_name, c.column_name
from duckdb_columns() as c
inner join duckdb_views() as v on c.schema_name = v.schema_name and c.table_name = v.view_name
where
    c.database_name = current_database() and v.database_name = current_database() and c.schema_name = 'main'
    and not v.internal and c.comment is null;

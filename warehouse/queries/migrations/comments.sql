-- The columns of public tables and views, each with its comment: table, column, comment.
select table_name, column_name, comment
from duckdb_columns()
where database_name = current_database() and schema_name = 'main' and not internal;

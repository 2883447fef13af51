-- One row per column of a public table or view, with the comments on both.
select
    coalesce(t.comment, v.comment) as about,
    c.column_name,
    c.data_type,
    c.comment
from duckdb_columns() as c
left join duckdb_tables() as t
    on t.database_name = c.database_name and t.schema_name = c.schema_name and t.table_name = c.table_name
left join duckdb_views() as v
    on v.database_name = c.database_name and v.schema_name = c.schema_name and v.view_name = c.table_name
where c.database_name = current_database() and c.schema_name = 'main' and c.table_name = $name
order by c.column_index;

-- One row per kind of object and database: what `copy from database` must have copied.
select database_name, 'tables' as kind, count(*) as n, count(comment) as n_comments
from duckdb_tables() where database_name in ('source', 'draft') group by database_name
union all
select database_name, 'views', count(*), count(comment)
from duckdb_views() where database_name in ('source', 'draft') group by database_name
union all
select database_name, 'columns', count(*), count(comment)
from duckdb_columns() where database_name in ('source', 'draft') group by database_name
union all
select database_name, 'constraints', count(*), 0
from duckdb_constraints() where database_name in ('source', 'draft') group by database_name
union all
select database_name, 'indexes', count(*), 0
from duckdb_indexes() where database_name in ('source', 'draft') group by database_name
union all
select database_name, 'types and functions', count(*), 0
from (
    select database_name, type_name from duckdb_types() where not internal
    union all
    select database_name, function_name from duckdb_functions() where not internal
)
where database_name in ('source', 'draft') group by database_name;

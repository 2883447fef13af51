-- One row per view, and one per macro (with its overloads): its definition.
select 'view' as kind, schema_name, view_name as name, sql as definition
from duckdb_views()
where database_name = current_database() and not internal
union all
select
    'macro', schema_name, function_name,
    string_agg(parameters::varchar || ' ' || macro_definition, chr(10) order by parameters::varchar)
from duckdb_functions()
where database_name = current_database() and not internal and function_type in ('macro', 'table_macro')
group by schema_name, function_name
order by all;

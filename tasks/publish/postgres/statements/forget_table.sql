delete from {schema}.kappaflow_tables
where table_name = %(name)s;

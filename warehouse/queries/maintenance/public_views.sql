-- One row per public view.
select table_name
from information_schema.tables
where table_schema = 'main' and table_catalog = current_database() and table_type = 'VIEW'
order by table_name;

-- One row per public table and view.
select table_name
from information_schema.tables
where table_schema = 'main' and table_catalog = current_database()
order by table_name;

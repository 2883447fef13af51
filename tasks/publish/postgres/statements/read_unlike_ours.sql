-- One row per relation of the schema that is no table, or has no comment. The tables that kappaflow makes have one.
select c.relname
from pg_class as c
inner join pg_namespace as n on n.oid = c.relnamespace
where
    n.nspname = %(schema)s and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and (c.relkind not in ('r', 'p') or obj_description(c.oid, 'pg_class') is null);

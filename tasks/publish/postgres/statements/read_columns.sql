-- One row per column of each table or view of the schema, in order. A table without columns has one row.
select c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
from pg_class as c
inner join pg_namespace as n on n.oid = c.relnamespace
left join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where n.nspname = %(schema)s and c.relkind in ('r', 'p', 'v', 'm', 'f')
order by c.relname, a.attnum;

-- One row: whether the schema exists. `create schema if not exists` wants the right to create one even if it does.
select exists(select from pg_namespace where nspname = %(schema)s);

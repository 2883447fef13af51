create table if not exists {schema}.kappaflow_tables (
    table_name text primary key,
    fingerprint text not null,
    n_rows bigint not null,
    written_at timestamptz not null,
    warehouse_id text not null,
    run_id text
);
comment on table {schema}.kappaflow_tables is 'One row per table that kappaflow keeps in this schema. It changes and drops no other table.';
comment on column {schema}.kappaflow_tables.table_name is 'Name of the table.';
comment on column {schema}.kappaflow_tables.fingerprint is 'Checksum of its columns, comments and rows. A table is written again if it changes.';
comment on column {schema}.kappaflow_tables.n_rows is 'Number of its rows.';
comment on column {schema}.kappaflow_tables.written_at is 'When it was written last.';
comment on column {schema}.kappaflow_tables.warehouse_id is 'Id of the first run of the warehouse that it comes from.';
comment on column {schema}.kappaflow_tables.run_id is 'The newest run of the warehouse when it was written last.';

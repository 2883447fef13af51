-- A ledger of an older kappaflow has no such column.
alter table {schema}.kappaflow_tables add column run_id text;
comment on column {schema}.kappaflow_tables.run_id is 'The newest run of the warehouse when it was written last.';

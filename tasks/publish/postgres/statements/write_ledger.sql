insert into {schema}.kappaflow_tables (table_name, fingerprint, n_rows, written_at, warehouse_id, run_id)
values (%(name)s, %(fingerprint)s, %(n_rows)s, now(), %(warehouse_id)s, %(run_id)s)
on conflict (table_name) do update
set fingerprint = excluded.fingerprint, n_rows = excluded.n_rows, written_at = excluded.written_at,
    warehouse_id = excluded.warehouse_id, run_id = excluded.run_id;

-- Runs that a killed process left open are closed. Returns one row per run.
update runs
set status = 'crashed', ended_at = $now, detail = coalesce(detail, 'The process ended before the run did.')
where status = 'running'
returning run_id;

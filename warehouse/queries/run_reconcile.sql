-- Runs that a killed process left open are closed; those of $under_way go on. Returns one row per run.
update runs
set status = 'crashed', ended_at = $now, detail = coalesce(detail, 'The process ended before the run did.')
where status = 'running' and not list_contains($under_way::varchar[], run_id)
returning run_id;

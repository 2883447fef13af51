-- Mark running runs as crashed, except those in $under_way. Returns their ids.
update runs
set status = 'crashed', ended_at = greatest($now, started_at), detail = coalesce(detail, 'The process ended before the run did.')
where status = 'running' and not list_contains($under_way::varchar[], run_id)
returning run_id;

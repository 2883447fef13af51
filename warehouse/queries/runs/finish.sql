-- End a run that is under way, or that another process marked as crashed meanwhile. Returns its id.
update runs
set status = $status, ended_at = $ended_at, detail = $detail
where run_id = $run_id and status in ('running', 'crashed')
returning run_id;

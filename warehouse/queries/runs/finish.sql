-- End a run that is under way, or that another process marked as crashed meanwhile. It ends after it began, even if the
-- clock was set back. Returns its id.
update runs
set status = $status, ended_at = greatest($ended_at, started_at), detail = $detail
where run_id = $run_id and status in ('running', 'crashed')
returning run_id;

-- Ends a run that is under way, or that another process took for crashed meanwhile (its reason goes). Returns its
-- identity.
update runs
set status = $status, ended_at = $ended_at, detail = $detail
where run_id = $run_id and status in ('running', 'crashed')
returning run_id;

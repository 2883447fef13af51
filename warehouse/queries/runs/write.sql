-- Write the row of a run, in place of an earlier one.
delete from runs
where run_id = $run_id;

insert into runs by name
select
    $run_id as run_id, $kind as kind, $question as question, $status as status, $code_version as code_version,
    $settings as settings, $settings_hash as settings_hash, $seed as seed, $input_revision as input_revision,
    $n_ratings as n_ratings, $started_at as started_at, $ended_at as ended_at, $detail as detail;

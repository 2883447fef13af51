-- Write the row of a run, in place of an earlier one. If an earlier run began later than now, the clock was set back, and
-- this run gets a time after that one: else the results of that run would count as the latest until the clock has caught
-- up. A minute is more than clocks differ by.
delete from runs
where run_id = $run_id;

insert into runs by name
with latest as (
    select max(started_at) as started_at
    from runs
),

clock as (
    select
        case
            when started_at > greatest($ended_at::timestamptz, $started_at::timestamptz, $now::timestamptz) + interval 1 minute
                then started_at + interval 1 microsecond - $started_at::timestamptz
            else interval 0 second
        end as set_back
    from latest
)

select
    $run_id as run_id, $kind as kind, $question as question, $status as status, $code_version as code_version,
    $settings as settings, $settings_hash as settings_hash, $seed as seed, $input_revision as input_revision,
    $n_ratings as n_ratings, $started_at::timestamptz + set_back as started_at,
    $ended_at::timestamptz + set_back as ended_at, $detail as detail
from clock;

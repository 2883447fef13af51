-- One row per question that has ratings, with the revision and settings of its last successful run of a kind.
with last_runs as (
    select question, input_revision, settings_hash
    from runs
    where kind = $kind and status = 'succeeded'
    qualify row_number() over (partition by question order by started_at desc, run_id desc) = 1
)

select q.question, q.revision, r.question is not null as has_run, r.input_revision, r.settings_hash
from internal.questions as q left join last_runs as r using (question)
where q.revision > 0
order by q.question;

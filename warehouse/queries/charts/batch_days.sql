-- The first and last day of the items that the batches with these file names ($names) rated, of a question.
select
    min((w.first_at at time zone (select timezone from internal.project_time))::date) as first_day,
    max((w.last_at at time zone (select timezone from internal.project_time))::date) as last_day,
    count(distinct b.file_name) as n_names
from internal.batch_windows as w
inner join internal.batches as n using (batch_no)
inner join batches as b using (batch_id)
where
    w.question_id = (select question_id from internal.questions where question = $question)
    and list_contains($names, b.file_name);

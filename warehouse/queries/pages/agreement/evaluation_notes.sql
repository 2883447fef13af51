-- What the last successful evaluation of each question noted: labels that were not declared, answers that it left out.
-- With $question, of this one.
select question, detail
from runs
where
    kind = 'evaluate' and status = 'succeeded' and question is not null
    and ($question is null or question = $question)
qualify row_number() over (partition by question order by started_at desc, run_id desc) = 1 and detail is not null
order by question;

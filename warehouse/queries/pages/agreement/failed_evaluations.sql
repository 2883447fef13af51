-- The questions whose last evaluation failed, with what it said; with $question, this one.
select question, arg_max(detail, started_at) as detail
from runs
where kind = 'evaluate' and question is not null and ($question is null or question = $question)
group by question
having arg_max(status, started_at) = 'failed'
order by question;

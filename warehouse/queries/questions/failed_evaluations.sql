-- The questions whose last evaluation failed, with what it said.
select question, arg_max(detail, started_at) as detail
from runs
where kind = 'evaluate' and question is not null
group by question
having arg_max(status, started_at) = 'failed'
order by question;

-- The checks of what the estimates of a question assume.
select *
from latest_assumption_checks
where question = $question;

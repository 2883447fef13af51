-- How strongly the errors of a question's annotators go together, by gold.
select *
from latest_shared_errors
where question = $question;

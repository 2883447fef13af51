-- Rows of one run and question; columns by name, those that are missing are null.
insert into system_differences by name
select $run_id as run_id, $question as question, *
from incoming_system_differences;

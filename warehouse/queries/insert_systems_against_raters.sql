-- Rows of one run and question; columns by name, those that are missing are null.
insert into systems_against_raters by name
select $run_id as run_id, $question as question, *
from incoming_systems_against_raters;

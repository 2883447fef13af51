-- Rows of one run and question; columns by name, those that are missing are null.
insert into annotator_tests by name
select $run_id as run_id, $question as question, *
from incoming_annotator_tests;

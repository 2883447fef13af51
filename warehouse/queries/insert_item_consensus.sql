-- Rows of one run and question, in place of those of earlier runs: this table keeps the latest only.
delete from item_consensus
where question = $question;

insert into item_consensus by name
select $run_id as run_id, $question as question, *
from incoming_item_consensus;

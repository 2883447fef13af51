-- Delete the distances of a question, which those of a newer evaluation replace.
delete from item_distances
where question = $question;

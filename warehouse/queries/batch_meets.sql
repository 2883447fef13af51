-- One row: whether there are ratings of any of the questions, whatever became of them.
select exists (from internal.ratings where question_id in (select unnest($question_ids)));

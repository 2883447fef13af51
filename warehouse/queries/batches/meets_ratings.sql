-- One row: whether any of the questions has ratings, in force or not.
select exists (from internal.ratings where question_id in (select unnest($question_ids)));

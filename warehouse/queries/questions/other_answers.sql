-- One row: what the answers to a question are that has no labels of items: 'regions' (spans, boxes, rankings or texts)
-- or 'votes' (on pairs of models); null if it has labels, or if there is no such question.
select case
    when exists (from ratings where question = $question) then null
    when exists (from region_work where question = $question) then 'regions'
    when exists (from preferences where question = $question) then 'votes'
end;

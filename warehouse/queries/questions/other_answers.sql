-- One row: what the answers to a question are that has no labels of items in force: 'regions' (spans, boxes, rankings or
-- texts) or 'votes' (on pairs of models); null if it has labels, or if there is no such question.
with asked as (select question_id from internal.questions where question = $question)

select case
    when exists (from internal.pattern_counts where question_id in (from asked)) then null
    when exists (from internal.region_work where question_id in (from asked)) then 'regions'
    when exists (from internal.preferences where question_id in (from asked)) then 'votes'
end;

-- The items of a question that have ratings in force.
select distinct item from current_ratings where question = $question order by item;

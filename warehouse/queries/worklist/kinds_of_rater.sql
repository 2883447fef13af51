-- The kinds under which a rater has ratings in force, in any question.
select distinct rater_kind from current_ratings where rater = $rater order by rater_kind;

-- Give ratings to another rater: `incoming_moves` (item_id, or null for all other items; rater_id, new_id, file_id).
-- `moved`: the ratings with their former rater. The name that the file gave stays with the rating. `moved_votes`: votes on
-- pairs of models and marked items, of which the last of a rater is in force anyway.
-- Reads: incoming_moves, internal.preferences, internal.ratings, internal.region_work
-- Writes: internal.preferences, internal.ratings, internal.region_work, moved, moved_votes, moved_work
create or replace temp table moved as
select r.rating_id, r.question_id, r.item_id, r.rater_id, m.new_id, m.file_id
from internal.ratings as r inner join incoming_moves as m
    on r.rater_id = m.rater_id and r.item_id = m.item_id
union all
select r.rating_id, r.question_id, r.item_id, r.rater_id, m.new_id, m.file_id
from internal.ratings as r inner join incoming_moves as m
    on r.rater_id = m.rater_id and m.item_id is null
where (r.item_id, r.rater_id) not in (select (item_id, rater_id) from incoming_moves where item_id is not null);

update internal.ratings as r
set rater_id = m.new_id, file_rater_id = coalesce(r.file_rater_id, m.file_id)
from moved as m
where r.rating_id = m.rating_id;

create or replace temp table moved_votes as
select p.vote_id, p.question_id, m.new_id
from internal.preferences as p inner join incoming_moves as m on p.rater_id = m.rater_id and m.item_id is null;

update internal.preferences as p
set rater_id = m.new_id
from moved_votes as m
where p.vote_id = m.vote_id;

create or replace temp table moved_work as
select p.work_id, p.question_id, m.new_id
from internal.region_work as p inner join incoming_moves as m on p.rater_id = m.rater_id and m.item_id is null;

update internal.region_work as p
set rater_id = m.new_id
from moved_work as m
where p.work_id = m.work_id;

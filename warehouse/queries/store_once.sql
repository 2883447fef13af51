-- A first attempt at a batch has nothing to withdraw, and no rating that it would keep.
create or replace temp table kept (rating_id bigint, arrival bigint);

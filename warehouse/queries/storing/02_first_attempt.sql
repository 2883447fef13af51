-- A first attempt at a batch has no earlier ratings, so `kept` is empty.
-- Writes: kept
create or replace temp table kept (rating_id bigint, arrival bigint);

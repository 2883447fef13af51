-- One row: ratings, votes and marked items by these raters, superseded, deleted and withdrawn ones included.
with them as (from internal.raters where list_contains($names, rater))

select
    (select count(*) from internal.ratings semi join them using (rater_id))
    + (select count(*) from internal.preferences semi join them using (rater_id))
    + (select count(*) from internal.region_work semi join them using (rater_id));

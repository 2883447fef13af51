-- One row: ratings by these raters, superseded and deleted ones included.
select count(*)
from internal.ratings semi join (from internal.raters where list_contains($names, rater)) using (rater_id);

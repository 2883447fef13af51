-- One row: how many ratings the patterns of the counting warehouse have.
select count(*)
from internal.pattern_ratings;

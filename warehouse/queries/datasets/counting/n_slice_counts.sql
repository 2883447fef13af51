-- One row: how many counts of slices the counting warehouse has.
select count(*)
from internal.slice_counts;

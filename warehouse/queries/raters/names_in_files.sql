-- One row per rater under whose name a rating came in. None if the warehouse has votes, marked regions or datasets:
-- these do not keep the name that a file had.
select rater
from internal.raters
where
    not exists (from internal.preferences)
    and not exists (from internal.region_work)
    and not exists (from internal.datasets)
order by rater;

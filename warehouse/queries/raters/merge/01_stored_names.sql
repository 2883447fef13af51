-- One row per name with ratings, votes or marked items, in force or not.
select rater_id, rater
from internal.raters
where
    rater_id in (select rater_id from internal.ratings) or rater_id in (select rater_id from internal.preferences)
    or rater_id in (select rater_id from internal.region_work)
order by rater_id;

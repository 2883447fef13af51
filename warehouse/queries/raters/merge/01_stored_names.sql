-- One row per name with ratings, in force or not.
select rater_id, rater
from internal.raters semi join internal.ratings using (rater_id)
order by rater_id;

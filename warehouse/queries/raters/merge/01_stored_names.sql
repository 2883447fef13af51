-- One row per name with ratings or votes, in force or not.
select rater_id, rater
from internal.raters
where rater_id in (select rater_id from internal.ratings) or rater_id in (select rater_id from internal.preferences)
order by rater_id;

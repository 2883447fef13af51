-- One row per name that ratings, votes or marked items have, or had in their files.
select rater
from internal.raters
order by rater;

-- Drop the names that files gave to the ratings of a forgotten rater, and names that nobody has any more.
update internal.ratings
set file_rater_id = null
where rater_id in (select rater_id from internal.raters where list_contains($names, rater));

delete from internal.raters
where
    list_contains($names, rater) and rater_id not in (select rater_id from internal.ratings)
    and rater_id not in (select rater_id from internal.preferences)
    and rater_id not in (select rater_id from internal.region_work)
    and rater_id not in (select file_rater_id from internal.ratings where file_rater_id is not null);

-- One row per name of a rater: as stored, with the readings that are numbered, and as files gave it.
with same as (
    select rater_id, rater
    from internal.raters
    where list_contains($names, rater) or list_contains($names, regexp_replace(rater, ' #[1-9][0-9]*$', ''))
)

select rater from same
union
select f.rater
from internal.ratings as r
inner join internal.raters as f on r.file_rater_id = f.rater_id
where r.rater_id in (select rater_id from same)
order by rater;

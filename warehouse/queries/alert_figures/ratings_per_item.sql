-- The items of the question of an alert, those with the fewest annotators first. Further readings ('ann #2', see the
-- rule `repeats`) are of their annotator. Of a dataset, whose items have no names here: how many have so many.
with rated as (
    select item, rater, regexp_extract(rater, '(?s)^(.+) #[0-9]+$', 1) as annotator
    from current_ratings
    where rater_kind = 'human' and question = (select question from alerts where alert_id = $alert_id)
    union all
    select item, rater, null as annotator
    from region_work
    where is_current and rater_kind = 'human' and question = (select question from alerts where alert_id = $alert_id)
)
select
    item,
    count(distinct case when annotator in (select rater from rated) then annotator else rater end) as n_annotators,
    count(*) as n_ratings, 1 as n_items
from rated
group by item
union all
select null as item, n_annotators, n_ratings, sum(n_items)::bigint as n_items
from dataset_items
where n_ratings > 0 and question = (select question from alerts where alert_id = $alert_id)
group by n_annotators, n_ratings
order by n_annotators, n_ratings

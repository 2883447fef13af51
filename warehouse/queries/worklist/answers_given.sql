-- One row per item and label that annotators gave it, with their names; the label that most gave first.
select item, label, list(rater order by rater) as raters
from current_ratings
where question = $question and rater_kind = 'human' and item in (select unnest($items))
group by item, label
order by item, count(*) desc, label;

-- How often people give each label, by window, up to today.
select label, first_day, last_day, n_items, n_ratings, share, low, high, too_few, confidence
from label_trend
where
    question = $question and period = coalesce($window, 'week')
    and (batch_id is not null or coalesce(period_start <= now(), true))
qualify dense_rank() over (order by period_start desc, batch_id desc) <= 26
order by first_day desc, label
limit $n_rows;

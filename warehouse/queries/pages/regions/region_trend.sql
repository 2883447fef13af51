-- The agreement on spans, boxes, rankings or texts by windows ($window, or each kind of window).
select *
from region_trend
where
    label is null and ($question is null or question = $question)
    and ($window is null and period <> 'rolling' or period = $window)
order by question, period, coefficient, period_start, batch_id;

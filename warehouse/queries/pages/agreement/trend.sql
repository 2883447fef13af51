-- The agreement by windows ($window, or each kind of window); with $slice, on the items of a slice.
select *
from agreement_trend
where
    question = $question
    and ($window is null and period <> 'rolling' or period = $window)
    and scope = coalesce('slice:' || $slice, 'humans');

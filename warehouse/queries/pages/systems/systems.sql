-- The estimated accuracy of the systems, by method; with $slice, on the items of a slice.
select *
from latest_system_accuracy
where
    ($question is null or question = $question)
    and ($system is null or system = $system)
    and ($slice is null or scope in ('all', 'slice:' || $slice));

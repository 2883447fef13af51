-- The systems of a question compared with each other, on the same items.
select *
from latest_system_differences
where question = $question and ($system is null or system_a = $system or system_b = $system);

-- The versions of the systems of a question, each compared with the one before.
select *
from version_comparisons
where question = $question and ($system is null or system = $system)
order by system, first_day;

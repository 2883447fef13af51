-- One row per question that has ratings.
select question, revision
from internal.questions
where revision > 0
order by question;

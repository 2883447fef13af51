-- One row per rater and version of a question: its ratings in force.
select a.rater, v.system_version, v.n_ratings
from internal.version_counts as v inner join internal.raters as a using (rater_id)
where v.question_id = (select question_id from internal.questions where question = $question)
order by a.rater, v.system_version;

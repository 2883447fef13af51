-- How the samples of a question were drawn.
select distinct stratify_by
from audits
where question = $question;

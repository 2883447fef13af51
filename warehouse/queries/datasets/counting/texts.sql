-- One row per name in the dictionaries of the counting warehouse.
select 'questions' as dictionary, question_id as key, question as text
from internal.questions
union all
select 'raters', rater_id, rater
from internal.raters
union all
select 'labels', label_id, label
from internal.labels;

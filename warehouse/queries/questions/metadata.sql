-- One row per item and key of one question.
select item, key, value
from item_metadata
where question = $question;

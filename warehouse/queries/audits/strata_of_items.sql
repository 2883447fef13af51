-- One row per item of a question with a value of this key of its metadata.
select item, value as stratum
from item_metadata
where question = $question and key = $key and value is not null;

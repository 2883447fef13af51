-- One row per item of this bucket.
select question_id, item
from internal.items;

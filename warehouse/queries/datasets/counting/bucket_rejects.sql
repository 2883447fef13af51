-- One row per rejected row of this bucket.
select
    split_part(batch_id, '/', 1)::integer as place, row_number, column_name, value, reason, detail, question, item, rater
from rejected_rows;

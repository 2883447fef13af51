-- One row: the number of rows of a table or view, and a checksum of them that does not depend on their order.
select
    count(*) as n_rows,
    coalesce(sum(hash(t)), 0)::varchar as checksum
from query_table($name) as t;

-- One row: whether the ledger is there, and how many tables are in the file besides it.
select count(*) filter (where schema_name = 'internal' and table_name = 'ledger') > 0, count(*)
from duckdb_tables()
where not internal and not temporary;

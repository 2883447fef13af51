-- One row: whether the ledger exists, and how many tables the file has.
select count(*) filter (where schema_name = 'internal' and table_name = 'ledger') > 0, count(*)
from duckdb_tables()
where not internal and not temporary;

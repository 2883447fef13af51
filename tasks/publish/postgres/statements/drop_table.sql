drop table {table};

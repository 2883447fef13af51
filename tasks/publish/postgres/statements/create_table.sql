create table {table} ({columns});

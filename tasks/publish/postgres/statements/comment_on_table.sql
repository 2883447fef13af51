comment on table {table} is {comment};

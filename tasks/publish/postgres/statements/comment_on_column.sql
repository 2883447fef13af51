comment on column {table}.{column} is {comment};

copy {table} ({columns}) from stdin;

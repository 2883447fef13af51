"""The warehouse: one DuckDB file, its tables and views, and typed reads and writes of it."""

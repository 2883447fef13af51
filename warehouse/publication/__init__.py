"""Read what a snapshot publishes: for Parquet files, and for tables elsewhere."""

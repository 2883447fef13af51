"""Publish the tables of the snapshot elsewhere: to Postgres, and as Parquet files to an object store."""

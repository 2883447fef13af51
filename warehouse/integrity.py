"""Checks of the warehouse's own integrity: each file of checks/ finds nothing while all is well."""

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import duckdb_errors


def run_checks(con: duckdb.DuckDBPyConnection) -> dict[str, pl.DataFrame]:
    """Name of each check -> the rows that break it; all frames are empty while the warehouse is sound."""
    with duckdb_errors("check itself"):
        return {name: sql.plain(con.sql(text).pl()) for name, text in sql.texts("checks").items()}

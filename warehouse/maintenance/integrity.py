"""Check the integrity of the warehouse: a query of checks/ returns the rows that break a rule.

Each file begins with a comment on what breaks the rule, and one on what to do about it (`-- To do: ...`).
"""

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import duckdb_errors

_TO_DO = "To do: "


def run_checks(con: duckdb.DuckDBPyConnection) -> dict[str, pl.DataFrame]:
    """Run all checks: name -> the rows that break it. All frames are empty if the warehouse is sound."""
    return {name: run_check(con, name) for name in sql.texts("checks")}


def run_check(con: duckdb.DuckDBPyConnection, name: str) -> pl.DataFrame:
    """Run one check and return the rows that break it.

    DuckDB plans a query again for a frame. A sound warehouse needs none, and the check of a small one is mostly plan.
    """
    text = sql.texts("checks")[name]
    with duckdb_errors("check itself"):
        result = con.execute(text)
        if result.fetchone() is None:
            return pl.DataFrame(schema=[str(column[0]) for column in result.description or ()])
        result.abort()  # A half-read result blocks the connection.
        return sql.plain(con.sql(text).pl())


def explained(name: str) -> tuple[str, str]:
    """Return what a check finds, and what to do about it.

    >>> explained("two_current_ratings")[0]
    'A question, item and rater with more than one rating in force.'
    """
    lines = [line.removeprefix("-- ") for line in sql.texts("checks")[name].splitlines() if line.startswith("-- ")]
    to_do = next((line.removeprefix(_TO_DO) for line in lines if line.startswith(_TO_DO)), "")
    return lines[0], to_do

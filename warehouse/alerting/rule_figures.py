"""Read the figures that rules hold to their limits."""

from collections.abc import Mapping

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import duckdb_errors

LIMITS: Mapping[str, pl.DataType] = {"question": pl.String(), "value": pl.Float64()}


def read_rule_figures(
    con: duckdb.DuckDBPyConnection, rule: str, limits: Mapping[str, float], **values: object
) -> pl.DataFrame:
    """Run the query of a rule, queries/rules/<rule>.sql, for the questions that have a limit."""
    rows = pl.DataFrame(list(limits.items()), schema=LIMITS, orient="row")
    with duckdb_errors(f"read the figures of the rule {rule}"), sql.registered(con, incoming_limits=rows):
        return sql.frame(con, f"rules/{rule}", **values)
